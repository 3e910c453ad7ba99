static double *kept;
static void keep(double *p) { kept = p; }
