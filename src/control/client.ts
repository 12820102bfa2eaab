import { connect, type Socket } from 'node:net';
import { RELOAD, type Reply } from './messages.ts';
import { socketOf } from './place.ts';
import { type Entry, type Published, readEntries, removeEntry } from './published.ts';

/** The processes that record into a ledger now. What dead ones left in the folder is removed. */
export async function liveEntries(folder: string): Promise<readonly Entry[]> {
  const entries = await readEntries(folder);
  const alive = await Promise.all(entries.map(({ id, published }) => isAlive(folder, id, published)));
  await Promise.all(entries.map((entry, index) => (alive[index] ? null : removeEntry(folder, entry.id))));
  return entries.filter((_, index) => alive[index]);
}

/** Where the process has no socket, or its path is too long from here, it is looked for by its ID. */
async function isAlive(folder: string, id: string, { pid, hasSocket }: Published): Promise<boolean> {
  if (!hasSocket || socketOf(folder, id) === null) return isRunning(pid);
  const reached = await reach(folder, id);
  if (reached.kind === 'connected') reached.socket.destroy();
  return reached.kind !== 'gone';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `gone`: nothing listens there any more. `busy`: something does, and takes no connection now. */
type Reached = { readonly kind: 'connected'; readonly socket: Socket } | { readonly kind: 'gone' | 'busy' };

function reach(folder: string, id: string): Promise<Reached> {
  const at = socketOf(folder, id);
  if (at === null) return Promise.resolve({ kind: 'busy' });
  return new Promise((resolve) => {
    const socket = connect(at);
    socket.once('connect', () => resolve({ kind: 'connected', socket }));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      resolve({ kind: code === 'ECONNREFUSED' || code === 'ENOENT' ? 'gone' : 'busy' });
    });
  });
}

/** Has one process reload its config. null where it cannot be reached, or ends before it has answered. */
export async function askToReload(folder: string, id: string): Promise<Reply | null> {
  const reached = await reach(folder, id);
  if (reached.kind !== 'connected') return null;
  const { socket } = reached;
  return new Promise((resolve) => {
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(answer.endsWith('\n') ? (JSON.parse(answer) as Reply) : null));
    socket.write(RELOAD);
  });
}
