/* A shared library that processing.c loads at run time, to register its function by name. */
#include <dvm.h>

extern int dvm_test_loaded_ran;
extern int dvm_test_loaded(dvm_data_id_t id);

int dvm_test_loaded_ran;

int dvm_test_loaded(dvm_data_id_t id)
{
    dvm_test_loaded_ran += id != NULL;
    return 0;
}
