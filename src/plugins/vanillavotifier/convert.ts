import { type Conversion, ConversionReport, NO_FRAGMENT } from '../conversion.ts';
import { Options } from '../options.ts';
import { commandFrom, type Placeholders } from '../plugin-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What VanillaVotifier listens with, and what it runs. It stores nothing about players. */
export interface VanillaVotifierSetup extends Conversion {
  /** null: the config does not say. */
  readonly port: number | null;
  /** Files of the key pair, relative to the folder that the program ran in. */
  readonly keys: { readonly public: string; readonly private: string } | null;
}

const KNOWN: Placeholders = new Map([
  ['user-name', '{player}'],
  ['service-name', '{service}'],
]);

/** An RCON server, with what was run on it. */
interface Action {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly commands: readonly string[];
}

/**
 * The config of VanillaVotifier in ours: `config.yaml` of version 4 with `on-vote`, or `config.json` of version 3 with
 * `rcon-list`. Each RCON server becomes a game server, and its commands a reward that is paid at once, as the program
 * did. Read from YamlConfig.java and JsonConfig.java of VanillaVotifier 4.2.
 */
export function convertVanillaVotifier(fields: Fields, file: string): VanillaVotifierSetup {
  const report = new ConversionReport();
  const config = new Options(fields, `${file}: `);
  config.take('config-version');
  const server = config.section('server') ?? config;
  leaveHost(server.text('ip'), server.at('ip'), report);
  const port = server.number('port');
  const keys = config.section('key-pair-files');
  const [publicKey, privateKey] = [keys?.text('public') ?? null, keys?.text('private') ?? null];
  const actions = actionsIn(config, report);
  const names = namesOf(actions);
  const found = actions.map((action, index) => ({ action, name: names[index] ?? 'main' }));
  for (const path of config.unread()) report.left(path, reasonFor(path));
  return {
    fragment: { ...NO_FRAGMENT, ...serversOf(found), rewards: rewardsOf(found, report) },
    secrets: Object.fromEntries(found.map(({ action, name }) => [secretFile(name), `${action.password}\n`])),
    converted: report.converted,
    notConverted: report.notConverted,
    port: port !== null && Number.isInteger(port) && port > 0 && port <= 65_535 ? port : null,
    keys: publicKey === null || privateKey === null ? null : { public: publicKey, private: privateKey },
  };
}

const EVERY_ADDRESS = ['0.0.0.0', '::', 'localhost', null];

function leaveHost(host: string | null, where: string, report: ConversionReport): void {
  if (EVERY_ADDRESS.includes(host)) return;
  report.left(where, `the program listened on ${host} only; to do the same here, set listener.host to it`);
}

const reasonFor = (path: string): string =>
  /log-(?:file|directory)$/.test(path) ? 'is about the program’s own log' : 'has no counterpart in Teller';

function actionsIn(config: Options, report: ConversionReport): readonly Action[] {
  const [key, list] = config.has('on-vote')
    ? ['on-vote', config.take('on-vote')]
    : ['rcon-list', config.take('rcon-list')];
  return (Array.isArray(list) ? list : []).flatMap((each: unknown, index) => {
    const options = new Options(fieldsOf(each), config.at(`${key}.${index + 1}`));
    return actionFrom(options, key === 'rcon-list', report) ?? [];
  });
}

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};

function actionFrom(options: Options, isRcon: boolean, report: ConversionReport): Action | null {
  const kind = isRcon ? 'rcon' : (options.text('action')?.toLowerCase() ?? '');
  if (kind !== 'rcon') {
    const why =
      kind === 'shell'
        ? 'Teller runs no programs; let a game server of the kind `http` call yours'
        : 'its action is neither rcon nor shell';
    report.left(options.path, why);
    return null;
  }
  const server = options.section('server') ?? options;
  const commands = options
    .texts('commands')
    .flatMap((written) => commandFrom(written, KNOWN, report, options.path, 'dollar') ?? []);
  const [host, port, password] = [
    server.text('ip') ?? '0.0.0.0',
    server.number('port') ?? 25_575,
    server.text('password'),
  ];
  const replaced = options.section('regex-replace');
  if (replaced !== null && !replaced.isEmpty) {
    report.left(replaced.path, 'names are checked instead: a name that is no player’s is refused');
    replaced.skip();
  }
  for (const path of options.unread()) report.left(path, 'is no option of an action');
  if (password !== null)
    return { host: /^(?:0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host, port, password, commands };
  report.left(options.path, 'it has no RCON password');
  return null;
}

/** Actions on the same server share its name. */
function namesOf(actions: readonly Action[]): readonly string[] {
  const places = [...new Set(actions.map(placeOf))];
  return actions.map((action) => {
    const at = places.indexOf(placeOf(action));
    return at === 0 ? 'main' : `server-${at + 1}`;
  });
}

const placeOf = ({ host, port }: Action): string => `${host} ${port}`;

interface NamedAction {
  readonly action: Action;
  readonly name: string;
}

const secretFile = (name: string): string => `data/secrets/${name}.rcon`;

const serversOf = (found: readonly NamedAction[]) =>
  found.length === 0
    ? {}
    : {
        gameServers: Object.fromEntries(
          found.map(({ action: { host, port }, name }) => [
            name,
            { kind: 'rcon', host, port, password: `file:${secretFile(name)}` },
          ]),
        ),
      };

function rewardsOf(found: readonly NamedAction[], report: ConversionReport): readonly object[] {
  const isOne = new Set(found.map(({ name }) => name)).size === 1;
  return found
    .filter(({ action }) => action.commands.length > 0)
    .map(({ action, name: server }) => {
      const name = report.nameFor('vote');
      report.became(`RCON ${action.host}:${action.port}`, `gameServers.${server}, rewards ${name}`);
      return { name, when: 'always', ...(isOne ? {} : { servers: [server] }), commands: action.commands };
    });
}
