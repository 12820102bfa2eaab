import type { WebSocket as Socket } from 'ws';
import { encodeRequest, type Received, readReceived } from '../../../../protocol/management/client.ts';
import { LIST_METHOD, METHOD_UNKNOWN, type NoticeKind } from '../../../../protocol/management/message.ts';
import { type ManagementPlayer, readPlayers } from '../../../../protocol/management/players.ts';
import { interruptible } from '../../../core/interruptible.ts';
import type { ManagementFault } from './faults.ts';
import type { Failed, ManagementTarget } from './socket.ts';

export type Notice = { readonly kind: NoticeKind; readonly player: ManagementPlayer };

export type Listed = { readonly kind: 'listed'; readonly players: readonly ManagementPlayer[] } | Failed;

type Answer = Extract<Received, { kind: 'answer' | 'error' }>;

const failed = (fault: Failed['fault']): Failed => ({ kind: 'failed', fault });

/** One open connection. It is closed after the first question without a list: nothing is known of such a peer. */
export class ManagementConnection {
  private nextId = 1;
  private readonly waiting = new Map<number, (answer: Answer | Failed) => void>();
  private readonly ended = new AbortController();
  private endedBy: ManagementFault = 'management-closed';

  constructor(
    private readonly socket: Socket,
    private readonly target: Pick<ManagementTarget, 'clock' | 'timeoutMs'>,
    private readonly onNotice: (notice: Notice) => void,
  ) {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) for (const each of readReceived(data.toString('utf8'))) this.take(each);
    });
    socket.once('close', () => this.end());
    if (socket.readyState !== socket.OPEN) this.end();
  }

  /** Aborts when the connection has ended. */
  get over(): AbortSignal {
    return this.ended.signal;
  }

  /** [MP-4] Who is online now. Never rejects. */
  async players(): Promise<Listed> {
    const listed = listedIn(await this.ask(LIST_METHOD));
    if (listed.kind === 'failed') this.close(listed.fault);
    return listed;
  }

  /** @param fault what later questions fail with. */
  close(fault: ManagementFault = 'management-closed'): void {
    if (!this.ended.signal.aborted) this.endedBy = fault;
    this.socket.terminate();
    this.end();
  }

  private ask(method: string): Promise<Answer | Failed> {
    if (this.ended.signal.aborted) return Promise.resolve(failed(this.endedBy));
    const id = this.nextId++;
    const { clock, timeoutMs: limitMs } = this.target;
    const interrupted = (): Failed => failed('management-timeout');
    return interruptible<Answer | Failed>({ clock, limitMs, interrupted }, (end) => {
      this.waiting.set(id, end);
      this.socket.send(encodeRequest(id, method), () => {});
    }).finally(() => this.waiting.delete(id));
  }

  private take(received: Received): void {
    if (this.ended.signal.aborted) return;
    if (received.kind === 'answer' || received.kind === 'error') this.waiting.get(received.id)?.(received);
    else this.onNotice(received);
  }

  private end(): void {
    this.ended.abort();
    for (const end of this.waiting.values()) end(failed(this.endedBy));
  }
}

function listedIn(answer: Answer | Failed): Listed {
  if (answer.kind === 'failed') return answer;
  if (answer.kind === 'error')
    return failed(answer.code === METHOD_UNKNOWN ? 'management-too-old' : 'management-bad-answer');
  const players = readPlayers(answer.result);
  return players === null ? failed('management-bad-answer') : { kind: 'listed', players };
}
