import type { Socket } from 'node:net';
import {
  bodyText,
  encodePacket,
  LEAST_LENGTH_BYTES,
  LENGTH_FIELD_BYTES,
  type Packet,
  packetType,
  RconReader,
  REFUSED_LOGIN_ID,
  REPLY_PIECE_CHARACTERS,
  REQUEST_MAX_BYTES,
} from '../../protocol/rcon.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { CONTROL_LOGIN_ID } from './control.ts';
import type { ActiveFaults, FaultSwitches } from './faults.ts';

/** What a session needs of its server. */
export interface SessionHost {
  readonly password: string;
  readonly faults: FaultSwitches;
  readonly clock: Clock;
  readonly slowReplyMs: number;
  /** Runs and records a command of the game. */
  execute(command: string): string;
  /** Answers `practice …`; null for anything else. */
  control(command: string): string | Promise<string> | null;
}

/** With the fault `one-frame`, how many requests one read may contain. */
const REQUESTS_AT_ONCE = 2;
const NO_LOGIN = { id: REFUSED_LOGIN_ID, type: packetType.loginReply, body: '' };

/** The server's side of one RCON connection. Each fault is checked where it takes effect. */
export class Session {
  private readonly reader = new RconReader();
  private readonly late = new Set<Cancel>();
  private loggedIn = false;
  private isControl = false;

  constructor(
    private readonly socket: Socket,
    private readonly host: SessionHost,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('close', () => this.cancelLateReplies());
    // Clients may disconnect with a reset; `close` follows.
    socket.on('error', () => {});
  }

  private receive(chunk: Buffer): void {
    const { faults } = this.host;
    if (!this.isControl && faults.take('reads-once') && !isOnePacket(chunk)) {
      this.socket.destroy();
      return;
    }
    const { packets, state } = this.reader.push(chunk);
    const lossy = !this.isControl && faults.isOn('one-frame');
    for (const packet of lossy ? packets.slice(0, REQUESTS_AT_ONCE) : packets) this.handle(packet);
    if (state.kind === 'refused') this.socket.end();
  }

  private handle(packet: Packet): void {
    if (packet.type === packetType.login) this.login(packet);
    else if (packet.type === packetType.command) this.command(packet.id, bodyText([packet.body]));
    else this.unknownType(packet);
  }

  /** [RCON-8] */
  private login({ id, body }: Packet): void {
    const { faults, password } = this.host;
    if (bodyText([body]) !== password) {
      this.loggedIn = false;
      if (faults.take('wrong-password-closes')) this.socket.end();
      else this.send(encodePacket(NO_LOGIN));
      return;
    }
    this.loggedIn = true;
    this.isControl = id === CONTROL_LOGIN_ID;
    this.send(encodePacket({ id, type: packetType.loginReply, body: '' }));
    if (!this.isControl && faults.take('close-after-login')) this.socket.end();
  }

  private command(id: number, command: string): void {
    if (!this.loggedIn) {
      this.send(encodePacket(NO_LOGIN));
      return;
    }
    const answer = this.host.control(command);
    if (answer instanceof Promise) void answer.then((text) => this.answer(id, text));
    else if (answer !== null) this.answer(id, answer);
    else if (this.isControl) this.answer(id, this.host.execute(command));
    else this.runWithFaults(id, command);
  }

  private answer(id: number, body: string): void {
    this.send(encodePacket({ id, type: packetType.reply, body }));
  }

  /** In the order in which faults take effect: before the command is run, instead of the reply, in the reply. */
  private runWithFaults(id: number, command: string): void {
    const { clock, slowReplyMs } = this.host;
    const faults = this.host.faults.forCommand(command);
    if (faults.take('close-before-running')) {
      this.socket.end();
      return;
    }
    if (faults.take('silent-without-running')) return;
    if (!isList(command) && faults.take('unknown-command')) {
      this.reply(id, UNKNOWN_COMMAND, faults);
      return;
    }
    const text = this.host.execute(command);
    if (faults.take('run-and-close')) this.socket.end();
    else if (faults.take('run-and-silent')) return;
    else if (faults.take('slow-reply')) this.later(slowReplyMs, clock, () => this.reply(id, text, faults));
    else this.reply(id, text, faults);
  }

  private reply(id: number, text: string, faults: ActiveFaults): void {
    if (text === '' && faults.take('no-empty-frames')) return;
    if (faults.take('garbage-length')) {
      this.send(garbageLength(id));
      return;
    }
    if (faults.take('late-frame')) {
      this.send(
        encodePacket({ id: id - 1, type: packetType.reply, body: 'a late answer to an old request' }),
      );
    }
    const bytes = encodeReply(id, faults.take('empty-reply') ? '' : text, faults);
    if (faults.take('half-reply')) {
      this.send(bytes.subarray(0, bytes.length >> 1));
      this.socket.end();
    } else {
      this.send(bytes);
    }
  }

  private unknownType({ id, type }: Packet): void {
    const { faults } = this.host;
    if (faults.take('type-2-replies')) this.socket.end();
    else if (!faults.take('one-frame')) {
      this.send(
        encodePacket({ id, type: packetType.reply, body: `Unknown request ${(type >>> 0).toString(16)}` }),
      );
    }
  }

  private send(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  private later(delayMs: number, clock: Clock, callback: () => void): void {
    const cancel = clock.after(delayMs, () => {
      this.late.delete(cancel);
      callback();
    });
    this.late.add(cancel);
  }

  private cancelLateReplies(): void {
    for (const cancel of this.late) cancel();
  }
}

/** The message of the plugin framework that does this. */
const UNKNOWN_COMMAND = 'Unknown command. Type "/help" for help.';

const isList = (command: string): boolean => /^\/?(?:minecraft:)?list(?: |$)/.test(command);

/** [RCON-6] Vanilla reads once and expects exactly one packet. */
const isOnePacket = (chunk: Buffer): boolean => {
  const read = Math.min(chunk.length, REQUEST_MAX_BYTES);
  if (read < LENGTH_FIELD_BYTES + LEAST_LENGTH_BYTES) return false;
  return chunk.readInt32LE(0) === read - LENGTH_FIELD_BYTES;
};

const PIECE_BYTES = 2_048;

/** Encodes a reply as vanilla does, or with the active fault [RCON-10]. */
function encodeReply(id: number, text: string, faults: ActiveFaults): Buffer {
  if (faults.take('type-2-replies')) {
    const pieces = byCharacters(text).map((body) => encodePacket({ id, type: packetType.loginReply, body }));
    return Buffer.concat([...pieces, encodePacket({ id, type: packetType.loginReply, body: '' })]);
  }
  return Buffer.concat(
    piecesOf(text, faults).map((body) => encodePacket({ id, type: packetType.reply, body })),
  );
}

/** [RCON-3] An empty packet with a length field of −4, as some real servers send. */
function garbageLength(id: number): Buffer {
  const packet = encodePacket({ id, type: packetType.reply, body: '' });
  packet.writeInt32LE(-4, 0);
  return packet;
}

function piecesOf(text: string, faults: ActiveFaults): (string | Buffer)[] {
  if (faults.take('pieces-of-2048')) return byBytes(Buffer.from(text, 'utf8'));
  if (faults.take('one-frame')) return [text];
  if (faults.take('empty-frame-first')) return ['', ...byCharacters(text)];
  return byCharacters(text);
}

/** At least one piece: an empty reply is an empty frame. */
function byCharacters(text: string): string[] {
  const pieces = [text.slice(0, REPLY_PIECE_CHARACTERS)];
  for (let at = REPLY_PIECE_CHARACTERS; at < text.length; at += REPLY_PIECE_CHARACTERS) {
    pieces.push(text.slice(at, at + REPLY_PIECE_CHARACTERS));
  }
  return pieces;
}

function byBytes(bytes: Buffer): Buffer[] {
  const pieces = [bytes.subarray(0, PIECE_BYTES)];
  for (let at = PIECE_BYTES; at < bytes.length; at += PIECE_BYTES)
    pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return pieces;
}
