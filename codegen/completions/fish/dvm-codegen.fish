# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_dvm_codegen_global_optspecs
    string join \n h/help V/version
end

function __fish_dvm_codegen_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_dvm_codegen_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_dvm_codegen_using_subcommand
    set -l cmd (__fish_dvm_codegen_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -s V -l version -d 'Print version'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -f -a "tile" -d 'Transform the regions of a C file'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -f -a "redist" -d 'Plan, write as C or draw the redistribution of an array'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -f -a "draw" -d 'Draw the tiled iteration space of a region, with its dependences, as SVG'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -f -a "explain" -d 'Say what the code of a message means, with a failing and a mended example'
complete -c dvm-codegen -n "__fish_dvm_codegen_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand tile" -s o -l output -d 'File for the new source (default: standard output)' -r -F
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand tile" -l print -d 'Print the state of each region after a pass, instead of the new source' -r -f -a "model\t''
deps\t''
schedule\t''
tiles\t''
rows\t''
sets\t''
footprint\t''
loops\t''
blocks\t''
jam\t''
boxes\t''
hosts\t''
overlaps\t''
flow\t''
place\t''
c\t''"
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand tile" -l strict -d 'Make a region that stays sequential an error'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand tile" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and not __fish_seen_subcommand_from plan c draw help" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and not __fish_seen_subcommand_from plan c draw help" -f -a "plan" -d 'Plan the redistributions of a file of cases: descriptors and figures'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and not __fish_seen_subcommand_from plan c draw help" -f -a "c" -d 'Write C: loops over the memories around DMA_SEND and DMA_RECEIVE'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and not __fish_seen_subcommand_from plan c draw help" -f -a "draw" -d 'Draw the lattices of one dimension and the transfers between them'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and not __fish_seen_subcommand_from plan c draw help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from plan" -l out -d 'The file for the plans; standard output unless given' -r -F
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from plan" -l strategy -d 'Which copy serves an element that the source holds several times' -r -f -a "exact\t'The copies that give the fewest descriptors'
cut-a\t'Cutting planes, case A: the smallest copy'
cut-b\t'Cutting planes, case B: the largest copy'
sliding\t'Sliding windows of equal height'
windows\t'Windows cut evenly in each residue class'
recursive\t'The recursive cuts of three variables, with the missing points'"
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from plan" -l case -d 'Only the case of this name' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from plan" -l balance -d 'Spread the sending over the copies so that the largest load is least'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from c" -l out -d 'The folder for the C files, one per case or family; standard output unless given' -r -F
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from c" -l case -d 'Only the case of this name' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from c" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -l case -d 'The case to draw' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -l dimension -d 'The array dimension to draw, counted from 1' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -l out -d 'The file for the SVG; standard output unless given' -r -F
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -l strategy -d 'Which copy serves an element that the source holds several times' -r -f -a "exact\t'The copies that give the fewest descriptors'
cut-a\t'Cutting planes, case A: the smallest copy'
cut-b\t'Cutting planes, case B: the largest copy'
sliding\t'Sliding windows of equal height'
windows\t'Windows cut evenly in each residue class'
recursive\t'The recursive cuts of three variables, with the missing points'"
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -l balance -d 'Spread the sending over the copies'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from draw" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from help" -f -a "plan" -d 'Plan the redistributions of a file of cases: descriptors and figures'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from help" -f -a "c" -d 'Write C: loops over the memories around DMA_SEND and DMA_RECEIVE'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from help" -f -a "draw" -d 'Draw the lattices of one dimension and the transfers between them'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand redist; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand draw" -s o -l out -d 'File for the drawing (default: standard output)' -r -F
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand draw" -l region -d 'Name of the region (default: the file\'s first region)' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand draw" -l set -l size -d 'Value of a parameter of the region, or of a constant that the file or -D defines, as N=12 (default: 12 for each parameter)' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand draw" -l tile -d 'Tile sizes (default: 4 each)' -r
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand draw" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand explain" -s h -l help -d 'Print help'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and not __fish_seen_subcommand_from tile redist draw explain help" -f -a "tile" -d 'Transform the regions of a C file'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and not __fish_seen_subcommand_from tile redist draw explain help" -f -a "redist" -d 'Plan, write as C or draw the redistribution of an array'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and not __fish_seen_subcommand_from tile redist draw explain help" -f -a "draw" -d 'Draw the tiled iteration space of a region, with its dependences, as SVG'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and not __fish_seen_subcommand_from tile redist draw explain help" -f -a "explain" -d 'Say what the code of a message means, with a failing and a mended example'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and not __fish_seen_subcommand_from tile redist draw explain help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and __fish_seen_subcommand_from redist" -f -a "plan" -d 'Plan the redistributions of a file of cases: descriptors and figures'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and __fish_seen_subcommand_from redist" -f -a "c" -d 'Write C: loops over the memories around DMA_SEND and DMA_RECEIVE'
complete -c dvm-codegen -n "__fish_dvm_codegen_using_subcommand help; and __fish_seen_subcommand_from redist" -f -a "draw" -d 'Draw the lattices of one dimension and the transfers between them'
