import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { Problem } from '../../core/problem.ts';
import { makeFolder, OWNER_ONLY_FOLDER } from '../../platform/write-file.ts';
import { CONFIG, RELOAD, REQUEST_BYTES_MAX } from './messages.ts';
import { socketOf } from './place.ts';

/** Creates the folder, readable only by its owner. Throws the Problem `data-unwritable`. */
export async function createControlFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    // Whoever can enter it can reload Teller.
    await chmod(folder, OWNER_ONLY_FOLDER);
  } catch (error) {
    const { message } = error as Error;
    throw new Problem('data-unwritable', `The folder ${folder} cannot be created (${message}).`, {
      cause: error,
    });
  }
}

type Answers = Readonly<Record<typeof RELOAD | typeof CONFIG, () => Promise<object>>>;

/** Accepts requests from commands of the same user. */
export class ControlServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  /** @param answers none of them rejects. */
  constructor(private readonly answers: Answers) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.serve(socket));
    this.server.on('error', () => {});
  }

  /** @returns false if no socket can be created: the path is too long or the operating system refuses it. */
  async listen(folder: string, id: string): Promise<boolean> {
    const at = socketOf(folder, id);
    if (at === null) return false;
    this.server.listen(at);
    return once(this.server, 'listening').then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    let request = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      request += text;
      if (request === RELOAD || request === CONFIG)
        void this.answers[request]().then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
      else if (request.length > REQUEST_BYTES_MAX || request.includes('\n')) socket.destroy();
    });
    // A command that only checks whether this process is running sends no request.
    socket.on('end', () => {
      if (request === '') socket.end();
    });
  }
}
