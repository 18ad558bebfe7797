# Made by npm run docs out of src/cli/: change it there.
# bash completion of brume.

_brume() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=brume words='' wants_file='' index
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$command ${COMP_WORDS[index]}" in
            'brume serve' | \
                'brume check-config' | \
                'brume doctor' | \
                'brume migrate' | \
                'brume backup' | \
                'brume restore' | \
                'brume move' | \
                'brume org' | \
                'brume org create' | \
                'brume org list' | \
                'brume org show' | \
                'brume org rename' | \
                'brume org delete' | \
                'brume org members' | \
                'brume org add' | \
                'brume org role' | \
                'brume org remove' | \
                'brume user' | \
                'brume user invite' | \
                'brume user list' | \
                'brume user show' | \
                'brume user disable' | \
                'brume user enable' | \
                'brume user delete' | \
                'brume user link' | \
                'brume user unlink' | \
                'brume user identities' | \
                'brume user sessions' | \
                'brume user password' | \
                'brume token' | \
                'brume token create' | \
                'brume token list' | \
                'brume token revoke' | \
                'brume whoami' | \
                'brume audit' | \
                'brume tier' | \
                'brume tier create' | \
                'brume tier list' | \
                'brume tier show' | \
                'brume tier set' | \
                'brume tier delete' | \
                'brume project' | \
                'brume project create' | \
                'brume project list' | \
                'brume project show' | \
                'brume project tier' | \
                'brume project delete' | \
                'brume key' | \
                'brume key create' | \
                'brume key list' | \
                'brume key show' | \
                'brume key rotate' | \
                'brume key revoke' | \
                'brume namespace' | \
                'brume namespace create' | \
                'brume namespace list' | \
                'brume namespace show' | \
                'brume namespace update' | \
                'brume namespace delete' | \
                'brume block' | \
                'brume block add' | \
                'brume block list' | \
                'brume block check' | \
                'brume block update' | \
                'brume block remove' | \
                'brume block import' | \
                'brume exempt' | \
                'brume exempt add' | \
                'brume exempt list' | \
                'brume exempt update' | \
                'brume exempt remove' | \
                'brume exempt import' | \
                'brume override' | \
                'brume override add' | \
                'brume override list' | \
                'brume override update' | \
                'brume override remove' | \
                'brume override import' | \
                'brume rules' | \
                'brume rules apply' | \
                'brume rules diff' | \
                'brume rules export' | \
                'brume rules history' | \
                'brume rules rollback' | \
                'brume rules schema' | \
                'brume limit' | \
                'brume peek' | \
                'brume reset' | \
                'brume status' | \
                'brume top' | \
                'brume usage' | \
                'brume lease' | \
                'brume lease list' | \
                'brume lease release' | \
                'brume runbook' | \
                'brume runbook list' | \
                'brume runbook show' | \
                'brume runbook check' | \
                'brume drill' | \
                'brume drill redis-failover' | \
                'brume drill redis-hang' | \
                'brume drill redis-flush' | \
                'brume drill redis-loss' | \
                'brume drill postgres-loss' | \
                'brume drill node-loss' | \
                'brume drill restart' | \
                'brume snippet' | \
                'brume version' | \
                'brume help')
                command+=" ${COMP_WORDS[index]}" ;;
            *' --config' | \
                *' --to-file' | \
                *' --redis-file' | \
                *' --socket' | \
                *' --token-file' | \
                *' --rule' | \
                *' --output' | \
                *' --key-file' | \
                *' --through' | \
                *' --to' | \
                *' --redis' | \
                *' --url' | \
                *' --expect' | \
                *' --organisation' | \
                *' --issuer' | \
                *' --subject' | \
                *' --revoke' | \
                *' --expires-in' | \
                *' --project' | \
                *' --actor' | \
                *' --action' | \
                *' --from' | \
                *' --last' | \
                *' --after' | \
                *' --limit' | \
                *' --calls-per-day' | \
                *' --name' | \
                *' --scope' | \
                *' --expires-at' | \
                *' --overlap' | \
                *' --window' | \
                *' --ttl' | \
                *' --burst' | \
                *' --add' | \
                *' --quota' | \
                *' --ipv6-prefix' | \
                *' --identify-by' | \
                *' --remove' | \
                *' --for' | \
                *' --until' | \
                *' --reason' | \
                *' --match' | \
                *' --from-line' | \
                *' --set' | \
                *' --cost' | \
                *' --request-id' | \
                *' --namespace' | \
                *' --key' | \
                *' --node' | \
                *' --rate' | \
                *' --report' | \
                *' --pause-writes' | \
                *' --lasts' | \
                *' --begin' | \
                *' --end' | \
                *' --listen' | \
                *' --file' | \
                *' --role' | \
                'brume key create --kind' | \
                *' --algorithm' | \
                *' --mode' | \
                'brume namespace create --kind' | \
                'brume namespace update --kind' | \
                *' --on-store-failure' | \
                *' --policy' | \
                *' --by' | \
                *' --step' | \
                *' --when-down')
                ((index++)) ;;
        esac
    done
    case "$command $previous" in
        *' --config' | *' --to-file' | *' --redis-file' | *' --socket' | *' --token-file' | *' --rule' | *' --output' | *' --key-file')
            wants_file=1 ;;
        *' --through' | *' --to' | *' --redis' | *' --url' | *' --expect' | *' --organisation' | *' --issuer' | *' --subject' | *' --revoke' | *' --expires-in' | *' --project' | *' --actor' | *' --action' | *' --from' | *' --last' | *' --after' | *' --limit' | *' --calls-per-day' | *' --name' | *' --scope' | *' --expires-at' | *' --overlap' | *' --window' | *' --ttl' | *' --burst' | *' --add' | *' --quota' | *' --ipv6-prefix' | *' --identify-by' | *' --remove' | *' --for' | *' --until' | *' --reason' | *' --match' | *' --from-line' | *' --set' | *' --cost' | *' --request-id' | *' --namespace' | *' --key' | *' --node' | *' --rate' | *' --report' | *' --pause-writes' | *' --lasts' | *' --begin' | *' --end' | *' --listen' | *' --file')
            words='' ;;
        *' --role')
            words='viewer developer admin owner' ;;
        'brume key create --kind')
            words='publishable service' ;;
        *' --algorithm')
            words='fixed_window sliding_window sliding_log token_bucket leaky_bucket gcra concurrency' ;;
        *' --mode')
            words='enforce shadow off' ;;
        'brume namespace create --kind' | 'brume namespace update --kind')
            words='text ip' ;;
        *' --on-store-failure' | *' --policy')
            words='open closed local' ;;
        *' --by')
            words='namespace key' ;;
        *' --step')
            words='hour day' ;;
        *' --when-down')
            words='open closed' ;;
        *)
            case "$command" in
                'brume')
                    if [[ $current == -* ]]; then words='--version --help'; else words='serve check-config doctor migrate backup restore move org user token whoami audit tier project key namespace block exempt override rules limit peek reset status top usage lease runbook drill snippet version help'; fi ;;
                'brume serve')
                    if [[ $current == -* ]]; then words='--config --systemd --help'; else words='--config --systemd --help'; fi ;;
                'brume check-config')
                    if [[ $current == -* ]]; then words='--config --connect --json --help'; else words='--config --connect --json --help'; fi ;;
                'brume doctor')
                    if [[ $current == -* ]]; then words='--config --through --json --help'; else words='--config --through --json --help'; fi ;;
                'brume migrate')
                    if [[ $current == -* ]]; then words='--config --json --help'; else words='--config --json --help'; fi ;;
                'brume backup')
                    if [[ $current == -* ]]; then words='--verify --config --json --help'; else words=''; fi
                    wants_file=1 ;;
                'brume restore')
                    if [[ $current == -* ]]; then words='--replace --config --json --help'; else words=''; fi
                    wants_file=1 ;;
                'brume move')
                    if [[ $current == -* ]]; then words='--to --to-file --redis --redis-file --config --json --help'; else words='--to --to-file --redis --redis-file --config --json --help'; fi ;;
                'brume org')
                    if [[ $current == -* ]]; then words='--help'; else words='create list show rename delete members add role remove'; fi ;;
                'brume org create')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume org list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume org show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume org rename')
                    if [[ $current == -* ]]; then words='--expect --json --socket --url --token-file --help'; else words='--expect --json --socket --url --token-file --help'; fi ;;
                'brume org delete')
                    if [[ $current == -* ]]; then words='--expect --json --socket --url --token-file --yes --help'; else words='--expect --json --socket --url --token-file --yes --help'; fi ;;
                'brume org members')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume org add')
                    if [[ $current == -* ]]; then words='--role --json --socket --url --token-file --help'; else words='--role --json --socket --url --token-file --help'; fi ;;
                'brume org role')
                    if [[ $current == -* ]]; then words='--role --json --socket --url --token-file --help'; else words='--role --json --socket --url --token-file --help'; fi ;;
                'brume org remove')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user')
                    if [[ $current == -* ]]; then words='--help'; else words='invite list show disable enable delete link unlink identities sessions password'; fi ;;
                'brume user invite')
                    if [[ $current == -* ]]; then words='--organisation --role --json --socket --url --token-file --help'; else words='--organisation --role --json --socket --url --token-file --help'; fi ;;
                'brume user list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user disable')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user enable')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user delete')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --yes --help'; else words='--json --socket --url --token-file --yes --help'; fi ;;
                'brume user link')
                    if [[ $current == -* ]]; then words='--issuer --subject --json --socket --url --token-file --help'; else words='--issuer --subject --json --socket --url --token-file --help'; fi ;;
                'brume user unlink')
                    if [[ $current == -* ]]; then words='--issuer --subject --json --socket --url --token-file --help'; else words='--issuer --subject --json --socket --url --token-file --help'; fi ;;
                'brume user identities')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume user sessions')
                    if [[ $current == -* ]]; then words='--revoke --revoke-all --json --socket --url --token-file --help'; else words='--revoke --revoke-all --json --socket --url --token-file --help'; fi ;;
                'brume user password')
                    if [[ $current == -* ]]; then words='--url --json --help'; else words='--url --json --help'; fi ;;
                'brume token')
                    if [[ $current == -* ]]; then words='--help'; else words='create list revoke'; fi ;;
                'brume token create')
                    if [[ $current == -* ]]; then words='--role --expires-in --json --socket --url --token-file --help'; else words='--role --expires-in --json --socket --url --token-file --help'; fi ;;
                'brume token list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume token revoke')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume whoami')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume audit')
                    if [[ $current == -* ]]; then words='--project --organisation --actor --action --from --last --to --after --limit --jsonl --json --socket --url --token-file --help'; else words='--project --organisation --actor --action --from --last --to --after --limit --jsonl --json --socket --url --token-file --help'; fi ;;
                'brume tier')
                    if [[ $current == -* ]]; then words='--help'; else words='create list show set delete'; fi ;;
                'brume tier create')
                    if [[ $current == -* ]]; then words='--calls-per-day --json --socket --url --token-file --help'; else words='--calls-per-day --json --socket --url --token-file --help'; fi ;;
                'brume tier list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume tier show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume tier set')
                    if [[ $current == -* ]]; then words='--name --calls-per-day --expect --json --socket --url --token-file --help'; else words='--name --calls-per-day --expect --json --socket --url --token-file --help'; fi ;;
                'brume tier delete')
                    if [[ $current == -* ]]; then words='--expect --json --socket --url --token-file --yes --help'; else words='--expect --json --socket --url --token-file --yes --help'; fi ;;
                'brume project')
                    if [[ $current == -* ]]; then words='--help'; else words='create list show tier delete'; fi ;;
                'brume project create')
                    if [[ $current == -* ]]; then words='--organisation --json --socket --url --token-file --help'; else words='--organisation --json --socket --url --token-file --help'; fi ;;
                'brume project list')
                    if [[ $current == -* ]]; then words='--organisation --json --socket --url --token-file --help'; else words='--organisation --json --socket --url --token-file --help'; fi ;;
                'brume project show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume project tier')
                    if [[ $current == -* ]]; then words='--none --expect --json --socket --url --token-file --help'; else words='--none --expect --json --socket --url --token-file --help'; fi ;;
                'brume project delete')
                    if [[ $current == -* ]]; then words='--expect --json --socket --url --token-file --yes --help'; else words='--expect --json --socket --url --token-file --yes --help'; fi ;;
                'brume key')
                    if [[ $current == -* ]]; then words='--help'; else words='create list show rotate revoke'; fi ;;
                'brume key create')
                    if [[ $current == -* ]]; then words='--kind --scope --expires-in --expires-at --json --socket --url --token-file --help'; else words='--kind --scope --expires-in --expires-at --json --socket --url --token-file --help'; fi ;;
                'brume key list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume key show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume key rotate')
                    if [[ $current == -* ]]; then words='--overlap --expires-in --expires-at --json --socket --url --token-file --help'; else words='--overlap --expires-in --expires-at --json --socket --url --token-file --help'; fi ;;
                'brume key revoke')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume namespace')
                    if [[ $current == -* ]]; then words='--help'; else words='create list show update delete'; fi ;;
                'brume namespace create')
                    if [[ $current == -* ]]; then words='--limit --window --ttl --algorithm --burst --add --quota --mode --kind --ipv6-prefix --identify-by --on-store-failure --rule --json --socket --url --token-file --help'; else words='--limit --window --ttl --algorithm --burst --add --quota --mode --kind --ipv6-prefix --identify-by --on-store-failure --rule --json --socket --url --token-file --help'; fi ;;
                'brume namespace list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume namespace show')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume namespace update')
                    if [[ $current == -* ]]; then words='--remove --limit --window --ttl --algorithm --burst --add --quota --mode --kind --ipv6-prefix --identify-by --on-store-failure --rule --expect --json --socket --url --token-file --help'; else words='--remove --limit --window --ttl --algorithm --burst --add --quota --mode --kind --ipv6-prefix --identify-by --on-store-failure --rule --expect --json --socket --url --token-file --help'; fi ;;
                'brume namespace delete')
                    if [[ $current == -* ]]; then words='--expect --json --socket --url --token-file --yes --help'; else words='--expect --json --socket --url --token-file --yes --help'; fi ;;
                'brume block')
                    if [[ $current == -* ]]; then words='--help'; else words='add list check update remove import'; fi ;;
                'brume block add')
                    if [[ $current == -* ]]; then words='--for --until --reason --replace --yes --project --json --socket --url --token-file --help'; else words='--for --until --reason --replace --yes --project --json --socket --url --token-file --help'; fi ;;
                'brume block list')
                    if [[ $current == -* ]]; then words='--match --expired --limit --after --project --json --socket --url --token-file --help'; else words='--match --expired --limit --after --project --json --socket --url --token-file --help'; fi ;;
                'brume block check')
                    if [[ $current == -* ]]; then words='--project --json --socket --url --token-file --help'; else words='--project --json --socket --url --token-file --help'; fi ;;
                'brume block update')
                    if [[ $current == -* ]]; then words='--for --until --endless --reason --project --expect --json --socket --url --token-file --help'; else words='--for --until --endless --reason --project --expect --json --socket --url --token-file --help'; fi ;;
                'brume block remove')
                    if [[ $current == -* ]]; then words='--project --expect --json --socket --url --token-file --help'; else words='--project --expect --json --socket --url --token-file --help'; fi ;;
                'brume block import')
                    if [[ $current == -* ]]; then words='--for --until --reason --replace --from-line --yes --project --json --socket --url --token-file --help'; else words=''; fi
                    wants_file=1 ;;
                'brume exempt')
                    if [[ $current == -* ]]; then words='--help'; else words='add list update remove import'; fi ;;
                'brume exempt add')
                    if [[ $current == -* ]]; then words='--for --until --reason --replace --project --json --socket --url --token-file --help'; else words='--for --until --reason --replace --project --json --socket --url --token-file --help'; fi ;;
                'brume exempt list')
                    if [[ $current == -* ]]; then words='--match --expired --limit --after --project --json --socket --url --token-file --help'; else words='--match --expired --limit --after --project --json --socket --url --token-file --help'; fi ;;
                'brume exempt update')
                    if [[ $current == -* ]]; then words='--for --until --endless --reason --project --expect --json --socket --url --token-file --help'; else words='--for --until --endless --reason --project --expect --json --socket --url --token-file --help'; fi ;;
                'brume exempt remove')
                    if [[ $current == -* ]]; then words='--project --expect --json --socket --url --token-file --help'; else words='--project --expect --json --socket --url --token-file --help'; fi ;;
                'brume exempt import')
                    if [[ $current == -* ]]; then words='--for --until --reason --replace --from-line --project --json --socket --url --token-file --help'; else words=''; fi
                    wants_file=1 ;;
                'brume override')
                    if [[ $current == -* ]]; then words='--help'; else words='add list update remove import'; fi ;;
                'brume override add')
                    if [[ $current == -* ]]; then words='--limit --burst --mode --set --for --until --reason --replace --project --json --socket --url --token-file --help'; else words='--limit --burst --mode --set --for --until --reason --replace --project --json --socket --url --token-file --help'; fi ;;
                'brume override list')
                    if [[ $current == -* ]]; then words='--match --expired --limit --after --project --json --socket --url --token-file --help'; else words='--match --expired --limit --after --project --json --socket --url --token-file --help'; fi ;;
                'brume override update')
                    if [[ $current == -* ]]; then words='--limit --burst --mode --set --for --until --endless --reason --project --expect --json --socket --url --token-file --help'; else words='--limit --burst --mode --set --for --until --endless --reason --project --expect --json --socket --url --token-file --help'; fi ;;
                'brume override remove')
                    if [[ $current == -* ]]; then words='--project --expect --json --socket --url --token-file --help'; else words='--project --expect --json --socket --url --token-file --help'; fi ;;
                'brume override import')
                    if [[ $current == -* ]]; then words='--limit --burst --mode --set --for --until --reason --replace --from-line --project --json --socket --url --token-file --help'; else words=''; fi
                    wants_file=1 ;;
                'brume rules')
                    if [[ $current == -* ]]; then words='--help'; else words='apply diff export history rollback schema'; fi ;;
                'brume rules apply')
                    if [[ $current == -* ]]; then words='--prune --create --organisation --expect --project --json --socket --url --token-file --yes --help'; else words=''; fi
                    wants_file=1 ;;
                'brume rules diff')
                    if [[ $current == -* ]]; then words='--prune --create --project --json --socket --url --token-file --help'; else words=''; fi
                    wants_file=1 ;;
                'brume rules export')
                    if [[ $current == -* ]]; then words='--output --json --socket --url --token-file --help'; else words='--output --json --socket --url --token-file --help'; fi ;;
                'brume rules history')
                    if [[ $current == -* ]]; then words='--limit --json --socket --url --token-file --help'; else words='--limit --json --socket --url --token-file --help'; fi ;;
                'brume rules rollback')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --yes --help'; else words='--json --socket --url --token-file --yes --help'; fi ;;
                'brume rules schema')
                    if [[ $current == -* ]]; then words='--json --help'; else words='--json --help'; fi ;;
                'brume limit')
                    if [[ $current == -* ]]; then words='--cost --request-id --json --socket --url --token-file --help'; else words='--cost --request-id --json --socket --url --token-file --help'; fi ;;
                'brume peek')
                    if [[ $current == -* ]]; then words='--cost --json --socket --url --token-file --help'; else words='--cost --json --socket --url --token-file --help'; fi ;;
                'brume reset')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume status')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume top')
                    if [[ $current == -* ]]; then words='--limit --json --socket --url --token-file --help'; else words='--limit --json --socket --url --token-file --help'; fi ;;
                'brume usage')
                    if [[ $current == -* ]]; then words='--by --step --namespace --key --from --to --last --json --socket --url --token-file --help'; else words='--by --step --namespace --key --from --to --last --json --socket --url --token-file --help'; fi ;;
                'brume lease')
                    if [[ $current == -* ]]; then words='--help'; else words='list release'; fi ;;
                'brume lease list')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume lease release')
                    if [[ $current == -* ]]; then words='--json --socket --url --token-file --help'; else words='--json --socket --url --token-file --help'; fi ;;
                'brume runbook')
                    if [[ $current == -* ]]; then words='--help'; else words='list show check'; fi ;;
                'brume runbook list')
                    if [[ $current == -* ]]; then words='--json --help'; else words='--json --help'; fi ;;
                'brume runbook show')
                    if [[ $current == -* ]]; then words='--json --help'; else words='--json --help'; fi ;;
                'brume runbook check')
                    if [[ $current == -* ]]; then words='--socket --config --json --help'; else words='--socket --config --json --help'; fi ;;
                'brume drill')
                    if [[ $current == -* ]]; then words='--help'; else words='redis-failover redis-hang redis-flush redis-loss postgres-loss node-loss restart'; fi ;;
                'brume drill redis-failover')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --pause-writes --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --pause-writes --json --help'; fi ;;
                'brume drill redis-hang')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --lasts --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --lasts --json --help'; fi ;;
                'brume drill redis-flush')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --json --help'; fi ;;
                'brume drill redis-loss')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; fi ;;
                'brume drill postgres-loss')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; fi ;;
                'brume drill node-loss')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; fi ;;
                'brume drill restart')
                    if [[ $current == -* ]]; then words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; else words='--node --rate --policy --live --yes --report --socket --config --lasts --begin --end --json --help'; fi ;;
                'brume snippet')
                    if [[ $current == -* ]]; then words='--namespace --listen --key-file --when-down --file --json --help'; else words='nginx haproxy caddy traefik envoy'; fi ;;
                'brume version')
                    if [[ $current == -* ]]; then words='--json --help'; else words='--json --help'; fi ;;
                'brume help')
                    if [[ $current == -* ]]; then words='--help'; else words='serve check-config doctor migrate backup restore move org user token whoami audit tier project key namespace block exempt override rules limit peek reset status top usage lease runbook drill snippet version help running packages configuration tuning health alerts drills redis-server redis-faults backups limits algorithms rules-as-code exceptions protection api nginx haproxy caddy traefik envoy management sign-in roles auditing usage-figures metrics tracing topics'; fi ;;
            esac ;;
    esac
    mapfile -t COMPREPLY < <(
        compgen -W "$words" -- "$current"
        if [[ -n $wants_file && $current != -* ]]; then compgen -f -- "$current"; fi
    )
    if [[ -n $wants_file ]]; then compopt -o filenames 2>/dev/null; fi
    return 0
}

complete -F _brume brume
