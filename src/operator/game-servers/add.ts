import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { placedRewards } from '../../config/cross-check.ts';
import type { EditStep } from '../../config/edit-steps.ts';
import type { ConfigFault } from '../../config/fault.ts';
import { examineText, readConfigText } from '../../config/load.ts';
import { type NamedSecrets, secretsNamedIn } from '../../config/named-secrets.ts';
import { outlineOf } from '../../config/outline.ts';
import { readSource } from '../../config/read-source.ts';
import { payingOf } from '../../config/reward-servers.ts';
import { secretFileFor } from '../../config/token-file.ts';
import { Secret } from '../../core/secret-value.ts';
import { OWNER_ONLY } from '../../platform/write-file.ts';
import { type ConfigEdit, planEdit, validConfig, writeEdit } from '../config-edit.ts';
import { type EnteredGameServer, type EntryFault, faultsIn } from './fields.ts';

/** A planned edit of the config that adds a game server with RCON. Printing it shows no password. */
export interface GameServerAddition extends ConfigEdit {
  readonly kind: 'planned';
  readonly name: string;
  /** The game server whose place it takes; null: none. */
  readonly replaced: string | null;
  readonly password: Secret;
  /** Where the password will be, absolute. */
  readonly passwordFile: string;
  /** A file with a password that the config named and names no more; null: none. */
  readonly unusedFile: string | null;
  /** The game server on which rewards stay that named none, and now name it; null: there are none. */
  readonly keptOn: string | null;
  /** The config as it will be. */
  readonly planned: Config;
}

export type GameServerPlan =
  | GameServerAddition
  | { readonly kind: 'refused'; readonly faults: readonly EntryFault[] }
  /** The config would have these faults; their places are those in the planned text. */
  | { readonly kind: 'unfit'; readonly faults: readonly ConfigFault[] };

const KIND = 'rcon';

/** @throws ConfigProblem if the config has faults already; Problem `config-missing` */
export async function planGameServer(
  { file }: Pick<Config, 'file'>,
  entered: EnteredGameServer,
): Promise<GameServerPlan> {
  const before = await readConfigText(file);
  const running = await validConfig(before, file);
  const faults = faultsIn(entered, [...running.gameServers.keys()]);
  if (faults.length > 0) return { kind: 'refused', faults };
  const folder = path.dirname(file);
  const { value: written } = await readSource(before, file);
  const { inFiles } = secretsNamedIn(written, folder);
  const passwordFile = await freePlace(entered, folder, inFiles);
  const { host, port } = entered;
  const values = { host, port, password: `file:${path.relative(folder, passwordFile)}` };
  const { keptOn, steps } =
    entered.replaces === null ? keepServers(written, entered.name) : { keptOn: null, steps: [] };
  const edit = await planEdit(file, before, [...stepsOf(entered, values, running), ...steps]);
  const { config, faults: unfit } = await examineText(edit.after, file);
  if (config === null) return { kind: 'unfit', faults: unfit };
  const still = secretsNamedIn((await readSource(edit.after, file)).value, folder);
  const gone = [...inFiles].find(
    ([each, names]) => !still.inFiles.has(each) && names.some((name) => isOf(name, entered.replaces)),
  );
  return {
    kind: 'planned',
    ...edit,
    name: entered.name,
    replaced: entered.replaces ?? goneIn(config, running),
    password: new Secret(entered.password.trim()),
    passwordFile,
    keptOn,
    unusedFile: gone?.[0] ?? null,
    planned: config,
  };
}

/** The practice server of the defaults, which is there only while the config names no game server. */
const goneIn = (planned: Config, running: Config): string | null =>
  [...running.gameServers.keys()].find((name) => !planned.gameServers.has(name)) ?? null;

/**
 * Writes the password and the config, or neither of them.
 * @throws Problem `config-changed` if the file changed after this was planned; `data-unwritable`
 */
export const writeGameServer = (plan: GameServerAddition): Promise<void> => {
  const { password, passwordFile: file } = plan;
  return writeEdit(plan, [{ file, text: `${password.reveal()}\n`, mode: OWNER_ONLY, oldTo: null }]);
};

/** What else the config says about an RCON server, such as its version, stays with the one that takes its place. */
function stepsOf(
  { name, replaces }: EnteredGameServer,
  values: Readonly<Record<string, string | number>>,
  { gameServers, settings }: Config,
): readonly EditStep[] {
  const value = { kind: KIND, ...values };
  const isWritten = [...settings.values()].some(
    ({ path: [top, own], written }) => top === 'gameServers' && own === replaces && written !== undefined,
  );
  // Without `gameServers` there is the practice server of the defaults, and an entry takes its place.
  if (replaces === null || !isWritten) return [{ kind: 'entry', section: ['gameServers'], key: name, value }];
  const path = ['gameServers', name];
  return [
    ...(replaces === name ? [] : [{ kind: 'key', path: ['gameServers', replaces], key: name } as const]),
    ...(gameServers.get(replaces)?.kind === KIND
      ? Object.entries(values).map(
          ([key, each]) => ({ kind: 'value', path: [...path, key], value: each }) as const,
        )
      : [{ kind: 'value', path, value } as const]),
  ];
}

/** The file of the name, unless it may hold another secret: that of the game server that is replaced does no more. */
async function freePlace(
  { name, replaces, password }: EnteredGameServer,
  folder: string,
  named: NamedSecrets['inFiles'],
): Promise<string> {
  for (let number = 1; ; number++) {
    const what = number === 1 ? KIND : `${number}.${KIND}`;
    const file = path.resolve(folder, secretFileFor(name, what));
    const keys = named.get(file) ?? [];
    const present = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
      code === 'ENOENT' ? null : '',
    );
    const isReplaced = keys.length > 0 && keys.every((key) => isOf(key, replaces));
    if (present === null || present.trim() === password.trim() || isReplaced) return file;
  }
}

const isOf = (key: string, server: string | null): boolean =>
  server !== null &&
  (key.startsWith(`gameServers.${server}.`) || key.startsWith(`gameServers[${JSON.stringify(server)}].`));

interface KeptServers {
  /** The only game server until now; null: every reward names its game servers, or there were several. */
  readonly keptOn: string | null;
  readonly steps: readonly EditStep[];
}

/**
 * With one game server, a reward need not name it. When another one is added, those that name none stay where they are.
 *
 * @param written the config as it is written. A reward in another file is left as it is, and the config is then refused.
 */
function keepServers(written: unknown, added: string): KeptServers {
  const sections = (written ?? {}) as Readonly<Record<string, unknown>>;
  const outline = outlineOf(written);
  const [only, ...others] = Object.keys(payingOf(outline.gameServers));
  // The practice server of the defaults is gone as soon as the config names a game server.
  const isAlone =
    only !== undefined && others.length === 0 && only !== added && sections['gameServers'] !== undefined;
  if (!isAlone) return { keptOn: null, steps: [] };
  const unplaced = placedRewards(outline).filter(
    ({ reward, path: [section = ''] }) => reward.servers === undefined && Array.isArray(sections[section]),
  );
  return {
    keptOn: unplaced.length === 0 ? null : only,
    steps: unplaced.map(({ path }) => ({ kind: 'value', path: [...path, 'servers'], value: [only] })),
  };
}
