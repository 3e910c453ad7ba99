/* What the shared object of plugin_tasks.c may need. */
int plugin_dependency(void);

int plugin_dependency(void)
{
    return 1000;
}
