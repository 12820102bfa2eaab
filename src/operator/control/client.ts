import { connect, type Socket } from 'node:net';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { ConfigReply } from './config-reply.ts';
import { CONFIG, RELOAD, type Reply } from './messages.ts';
import { socketOf } from './place.ts';
import { type Entry, type Published, readEntries, removeEntry } from './published.ts';

/** The running processes that record into a ledger. Removes the files of processes that have ended. */
export async function liveEntries(folder: string): Promise<readonly Entry[]> {
  const entries = await readEntries(folder);
  const alive = await Promise.all(entries.map(({ id, published }) => isAlive(folder, id, published)));
  await Promise.all(entries.map((entry, index) => (alive[index] ? null : removeEntry(folder, entry.id))));
  return entries.filter((_, index) => alive[index]);
}

/** Checks the process ID if the process has no socket, or if the socket's path is too long from here. */
async function isAlive(folder: string, id: string, { pid, hasSocket }: Published): Promise<boolean> {
  if (!hasSocket || socketOf(folder, id) === null) return isRunning(pid);
  const result = await connectTo(folder, id);
  if (result.kind === 'connected') result.socket.destroy();
  return result.kind !== 'gone';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `gone`: nothing listens on the socket. `busy`: the socket exists but did not accept the connection. */
type ConnectResult =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'gone' | 'busy' };

function connectTo(folder: string, id: string): Promise<ConnectResult> {
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

/** Asks a process to reload its config. null if it cannot be reached, or ends before it has answered. */
export const askToReload = (folder: string, id: string): Promise<Reply | null> =>
  ask<Reply>(folder, id, RELOAD);

/** A process that was stopped with Ctrl-Z accepts connections and never answers. */
const CONFIG_WITHIN_MS = 2_000;

/** The config that a process has in effect. null as above, or if it is of a version that does not hand it over. */
export const askForConfig = (folder: string, id: string, clock: Clock): Promise<ConfigReply | null> =>
  ask<ConfigReply>(folder, id, CONFIG, (socket) =>
    clock.after(CONFIG_WITHIN_MS, () => void socket.destroy()),
  );

async function ask<Answer>(
  folder: string,
  id: string,
  request: string,
  limit: (socket: Socket) => Cancel = () => () => {},
): Promise<Answer | null> {
  const result = await connectTo(folder, id);
  if (result.kind !== 'connected') return null;
  const { socket } = result;
  const cancel = limit(socket);
  return new Promise<Answer | null>((resolve) => {
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => resolve(null));
    socket.on('close', () => resolve(answer.endsWith('\n') ? (JSON.parse(answer) as Answer) : null));
    socket.write(request);
  }).finally(cancel);
}
