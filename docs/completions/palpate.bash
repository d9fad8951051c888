# Completion of palpate for bash.
_palpate()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local verb=${COMP_WORDS[1]} options=
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'run check demo laws convert mesh bench help --help --version' -- "$word")
        return
    fi
    case $previous in
    -o | --output)
        compopt -o dirnames
        return
        ;;
    -t | --threads)
        mapfile -t COMPREPLY < <(compgen -W "$(seq "$(nproc)")" -- "$word")
        return
        ;;
    -f | --format)
        mapfile -t COMPREPLY < <(compgen -W 'msh41 msh22 vtk vtu inp stl obj ply' -- "$word")
        return
        ;;
    -s | --set)
        compopt -o nospace
        return
        ;;
    esac
    case $verb in
    run) options='--output --threads --resume --set --strict --quiet --help' ;;
    check) options='--set --strict --help' ;;
    demo) options='--output --threads --resume --set --quiet --list --help' ;;
    convert) options='--format --ascii --strict --force --quiet --help' ;;
    mesh) options='--size --quality --format --ascii --strict --threads --quiet --help' ;;
    laws | help | bench) options='--help' ;;
    esac
    case $word in
    -*)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        return
        ;;
    esac
    case $verb in
    run | check)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|json|xml|feb|inp)' -- "$word"; compgen -d -- "$word")
        ;;
    convert | mesh)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    demo)
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" demo --list 2>/dev/null | sed -n 's/^\([^ ][^ ]*\).*/\1/p')" -- "$word")
        ;;
    laws)
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" laws 2>/dev/null | sed -n '/^$/q; s/^\([^ ][^ ]*\)$/\1/p')" -- "$word")
        ;;
    help)
        mapfile -t COMPREPLY < <(compgen -W 'run check demo laws convert mesh bench help scene body rigid condition contact solver probe output material shape place motion where' -- "$word")
        ;;
    esac
}
shopt -s extglob
complete -F _palpate palpate
