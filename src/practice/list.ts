import { createHash } from 'node:crypto';
import type { FaultName } from './faults.ts';
import { MAX_PLAYERS, type Player } from './world.ts';

/** The forms in which servers list who is online [RCON-13], by the fault that switches to them. */
const forms = {
  'two-line-list': (names) => `There are ${names.length}/${MAX_PLAYERS} players online:\n${names.join(', ')}`,
  'players-list': (names) => `Players (${names.length}): ${names.join(', ')}`,
  'translated-list': (names) =>
    `Es sind ${names.length} von maximal ${MAX_PLAYERS} Spielern online: ${names.join(', ')}`,
  'miscounted-list': (names) => vanillaList(names, names.length + 1),
  'reshaped-list': (names) =>
    `There are ${names.length} out of maximum ${MAX_PLAYERS} players online.\ndefault: ${names.join(', ')}`,
} as const satisfies Partial<Record<FaultName, (names: readonly string[]) => string>>;

export type ListForm = keyof typeof forms;

export const listForms = Object.keys(forms) as ListForm[];

/** @param entries names, or names with UUIDs (`nameWithUuid`). */
export const writeList = (entries: readonly string[], form: ListForm | null): string =>
  form === null ? vanillaList(entries, entries.length) : forms[form](entries);

const vanillaList = (names: readonly string[], announced: number): string =>
  `There are ${announced} of a max of ${MAX_PLAYERS} players online: ${names.join(', ')}`;

/** As `list uuids` shows a player. */
export const nameWithUuid = (player: Player): string => `${player.name} (${uuidOf(player)})`;

export const uuidOf = ({ uuid, name }: Player): string => uuid ?? offlineUuid(name);

/** The UUID that a server in offline mode gives to a name: version 3, of the MD5 of `OfflinePlayer:` and the name. */
function offlineUuid(name: string): string {
  const bytes = createHash('md5').update(`OfflinePlayer:${name}`).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x30, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
