import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { EditStep } from '../../config/edit-steps.ts';
import type { ConfigFault } from '../../config/fault.ts';
import { examineText, readConfigText } from '../../config/load.ts';
import { secretsNamedIn } from '../../config/named-secrets.ts';
import { readSource } from '../../config/read-source.ts';
import { Secret } from '../../config/secret-value.ts';
import { secretFileFor } from '../../config/token-file.ts';
import { OWNER_ONLY } from '../../runtime/write-file.ts';
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
  const written = await namesIn(before, file);
  const passwordFile = await freePlace(entered, folder, written.inFiles);
  const reference = `file:${path.relative(folder, passwordFile)}`;
  const edit = await planEdit(file, before, stepsOf(entered, reference, running));
  const { config, faults: unfit } = await examineText(edit.after, file);
  if (config === null) return { kind: 'unfit', faults: unfit };
  const still = await namesIn(edit.after, file);
  return {
    kind: 'planned',
    ...edit,
    name: entered.name,
    replaced: entered.replaces ?? goneIn(config, running),
    password: new Secret(entered.password.trim()),
    passwordFile,
    unusedFile:
      [...written.inFiles]
        .filter(([, keys]) => keys.some((key) => isOf(key, entered.replaces)))
        .map(([each]) => each)
        .find((each) => !still.inFiles.has(each)) ?? null,
    planned: config,
  };
}

/** The practice server of the defaults, which is there only while the config names no game server. */
const goneIn = (planned: Config, running: Config): string | null =>
  [...running.gameServers.keys()].find((name) => !planned.gameServers.has(name)) ?? null;

/**
 * Writes the password and the config, or neither.
 * @throws Problem `config-changed` if the file changed after this was planned; `data-unwritable`
 */
export const writeGameServer = (plan: GameServerAddition): Promise<void> =>
  writeEdit(plan, [
    { file: plan.passwordFile, text: `${plan.password.reveal()}\n`, mode: OWNER_ONLY, oldTo: null },
  ]);

/** What else the config says about an RCON server, such as its version, stays with the one that takes its place. */
function stepsOf(
  { name, host, port, replaces }: EnteredGameServer,
  password: string,
  { gameServers, settings }: Config,
): readonly EditStep[] {
  const values = { host, port, password };
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

const namesIn = async (text: string, file: string) =>
  secretsNamedIn((await readSource(text, file)).value, path.dirname(file));

/** The file of the name, unless it may hold another secret: that of the game server that is replaced does no more. */
async function freePlace(
  { name, password, replaces }: EnteredGameServer,
  folder: string,
  named: ReadonlyMap<string, readonly string[]>,
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
