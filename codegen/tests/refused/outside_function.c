/* expect: the pragma is not inside a function */
#pragma dvm region
int x;
