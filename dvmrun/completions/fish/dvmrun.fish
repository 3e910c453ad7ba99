complete -c dvmrun -s n -l processes -d 'How many processes to start, from 1 to 1024' -r
complete -c dvmrun -s t -l timeout -d 'End everything after so many seconds' -r
complete -c dvmrun -s g -l grace -d 'How long processes that are told to end may take before they are killed, in seconds' -r
complete -c dvmrun -s l -l label -d 'Begin each line of output with the index of its process, as `[2] `'
complete -c dvmrun -s k -l keep-going -d 'Let the others go on when a process fails; the exit status is the same'
complete -c dvmrun -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dvmrun -s V -l version -d 'Print version'
