import { readdir, readFile, readlink } from 'node:fs/promises';

/** A program that listens on a port. */
export interface PortHolder {
  readonly pid: number;
  /** The name of its executable, such as `java`. */
  readonly name: string;
}

const LISTEN_STATE = '0A';

/**
 * Which process listens on a TCP port of this machine. null: none does, or it cannot be told, because it is another user's
 * or this is not Linux (proc(5)).
 */
export async function portHolder(port: number): Promise<PortHolder | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(textOrNothing));
  const links = new Set(
    tables.flatMap((table) => socketsListening(table, port)).map((inode) => `socket:[${inode}]`),
  );
  if (links.size === 0) return null;
  for (const pid of (await namesIn('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await hasOpen(pid, links))) continue;
    return { pid: Number(pid), name: (await textOrNothing(`/proc/${pid}/comm`)).trim() };
  }
  return null;
}

/** The inodes of the sockets in the columns of proc_pid_net(5): the second is the local address, the fourth the state. */
const socketsListening = (table: string, port: number): readonly string[] =>
  table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const isPort = Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isPort && state === LISTEN_STATE && inode !== undefined ? [inode] : [];
  });

async function hasOpen(pid: string, links: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const name of await namesIn(folder)) {
    if (links.has(await readlink(`${folder}/${name}`).catch(() => ''))) return true;
  }
  return false;
}

const textOrNothing = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
