#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Weverything"
#endif
#pragma GCC visibility push(default)
extern int dvm__refused_known(const void *) __asm__("dvm_across_known");
extern int dvm__refused_serve(void (*)(void)) __asm__("dvm_across_serve");
#pragma GCC visibility pop
/* Before main: process 0 alone runs it, as where the regions with `across` are accepted. */
__attribute__((__constructor__(101), __used__)) static void dvm__refused_across(void)
{
  (void)dvm__refused_known(0);
}
__attribute__((__constructor__, __used__)) static void dvm__refused_before_main(void)
{
  (void)dvm__refused_serve(dvm__refused_before_main);
}
#pragma GCC diagnostic pop
