import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { EditStep } from '../../config/edit-steps.ts';
import type { ConfigFault } from '../../config/fault.ts';
import { examineText, readConfigText } from '../../config/load.ts';
import { secretsNamedIn } from '../../config/named-secrets.ts';
import { readSource } from '../../config/read-source.ts';
import { secretFileFor } from '../../config/token-file.ts';
import { Secret } from '../../core/secret-value.ts';
import { OWNER_ONLY } from '../../platform/write-file.ts';
import { type ConfigEdit, planEdit, validConfig, writeEdit } from '../config-edit.ts';
import { type EnteredGameServer, type EntryFault, faultsIn } from './fields.ts';
import { keepServers } from './keep-servers.ts';
import { managementUrl } from './management.ts';

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
  /** null: what the config says about it stays as it is. */
  readonly management: PlannedManagement | null;
  /** The config as it will be. */
  readonly planned: Config;
}

/** The server management protocol of a planned game server. Printing it shows no secret. */
export interface PlannedManagement {
  readonly url: string;
  readonly secret: Secret;
  /** Where the secret will be, absolute. */
  readonly secretFile: string;
  /** A file with a secret of it that the config named and names no more; null: none. */
  readonly unusedFile: string | null;
}

export type GameServerPlan =
  | GameServerAddition
  | { readonly kind: 'refused'; readonly faults: readonly EntryFault[] }
  /** The config would have these faults; their places are those in the planned text. */
  | { readonly kind: 'unfit'; readonly faults: readonly ConfigFault[] };

const KIND = 'rcon';
/** The end of the name of the file with its secret. */
const MANAGEMENT = 'management';

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
  const passwordFile = await freePlace(entered, KIND, entered.password, folder, inFiles);
  const management = await managementOf(entered, folder, inFiles);
  const values = valuesOf(entered, passwordFile, management, folder);
  const { keptOn, steps } =
    entered.replaces === null ? keepServers(written, entered.name) : { keptOn: null, steps: [] };
  const edit = await planEdit(file, before, [...stepsOf(entered, values, running), ...steps]);
  const { config, faults: unfit } = await examineText(edit.after, file);
  if (config === null) return { kind: 'unfit', faults: unfit };
  const still = secretsNamedIn((await readSource(edit.after, file)).value, folder);
  const gone = [...inFiles].filter(
    ([each, names]) => !still.inFiles.has(each) && names.some((name) => isOf(name, entered.replaces)),
  );
  const isOfManagement = ([, names]: (typeof gone)[number]): boolean =>
    names.every((name) => name.endsWith('.managementSecret'));
  return {
    kind: 'planned',
    ...edit,
    name: entered.name,
    replaced: entered.replaces ?? goneIn(config, running),
    password: new Secret(entered.password.trim()),
    passwordFile,
    keptOn,
    unusedFile: gone.find((each) => !isOfManagement(each))?.[0] ?? null,
    management: management && { ...management, unusedFile: gone.find(isOfManagement)?.[0] ?? null },
    planned: config,
  };
}

type NamedFiles = ReadonlyMap<string, readonly string[]>;

async function managementOf(
  entered: EnteredGameServer,
  folder: string,
  inFiles: NamedFiles,
): Promise<Omit<PlannedManagement, 'unusedFile'> | null> {
  const { host, management } = entered;
  if (management === null) return null;
  return {
    url: managementUrl(host, management),
    secret: new Secret(management.secret.trim()),
    secretFile: await freePlace(entered, MANAGEMENT, management.secret, folder, inFiles),
  };
}

/** The keys of the game server in the config. */
function valuesOf(
  { host, port, management: entered }: EnteredGameServer,
  passwordFile: string,
  management: Omit<PlannedManagement, 'unusedFile'> | null,
  folder: string,
): Readonly<Record<string, string | number>> {
  const referenceTo = (file: string): string => `file:${path.relative(folder, file)}`;
  const certificate = entered?.certificate ?? null;
  return {
    ...{ host, port, password: referenceTo(passwordFile) },
    ...(management === null
      ? {}
      : { management: management.url, managementSecret: referenceTo(management.secretFile) }),
    ...(certificate === null ? {} : { managementCertificate: certificate }),
  };
}

/** The practice server of the defaults, which is there only while the config names no game server. */
const goneIn = (planned: Config, running: Config): string | null =>
  [...running.gameServers.keys()].find((name) => !planned.gameServers.has(name)) ?? null;

/**
 * Writes the password, the secret and the config, or none of them.
 * @throws Problem `config-changed` if the file changed after this was planned; `data-unwritable`
 */
export const writeGameServer = (plan: GameServerAddition): Promise<void> => {
  const { password, passwordFile, management } = plan;
  return writeEdit(plan, [
    secretFile(passwordFile, password),
    ...(management === null ? [] : [secretFile(management.secretFile, management.secret)]),
  ]);
};

const secretFile = (file: string, secret: Secret) => ({
  ...{ file, text: `${secret.reveal()}\n`, mode: OWNER_ONLY, oldTo: null },
});

/** What else the config says about an RCON server, such as its version, stays with the one that takes its place. */
function stepsOf(
  { name, replaces }: EnteredGameServer,
  values: ReturnType<typeof valuesOf>,
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
  { name, replaces }: EnteredGameServer,
  ending: string,
  secret: string,
  folder: string,
  named: NamedFiles,
): Promise<string> {
  for (let number = 1; ; number++) {
    const what = number === 1 ? ending : `${number}.${ending}`;
    const file = path.resolve(folder, secretFileFor(name, what));
    const keys = named.get(file) ?? [];
    const present = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
      code === 'ENOENT' ? null : '',
    );
    const isReplaced = keys.length > 0 && keys.every((key) => isOf(key, replaces));
    if (present === null || present.trim() === secret.trim() || isReplaced) return file;
  }
}

const isOf = (key: string, server: string | null): boolean =>
  server !== null &&
  (key.startsWith(`gameServers.${server}.`) || key.startsWith(`gameServers[${JSON.stringify(server)}].`));
