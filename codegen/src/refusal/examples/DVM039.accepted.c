struct row {
    int n;
    double x[4];
};

void scale(int rows, struct row *s)
{
#pragma dvm region
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 4; j++)
            s[i].x[j] *= 2;
}
