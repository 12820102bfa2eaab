import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';
import { FixedWindows } from '../../core/fixed-windows.ts';
import { readJson } from '../../core/json.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';

/**
 * A proxy in front of the public page that `console.trustedProxies` does not name: all who come through it count as one
 * client. It may also be one client that sends the header of a proxy.
 */
export interface UnnamedProxy {
  readonly address: string;
  /** When it had sent so many requests, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A single player whose page refreshes itself sends half of that. */
const MANY = 20;
const WINDOW_MS = 10 * MINUTE_MS;
/** Bounds the memory that a flood from many addresses can use. */
const ADDRESSES_MAX = 1_000;
/** It is out of date after this time. */
const TOLD_MS = HOUR_MS;

const fileIn = (controlFolder: string): string => path.join(controlFolder, 'public.proxy');

/** Counts the requests of each, and keeps the latest one with many in a file, where `teller check` finds it. */
export class UnnamedProxies {
  private readonly requests = new FixedWindows({ windowMs: WINDOW_MS, keysMax: ADDRESSES_MAX });

  constructor(
    private readonly controlFolder: string,
    private readonly clock: { now(): number; monotonic(): number },
  ) {}

  /** Call this with each request that came through one. Throws the Problem `data-unwritable`. */
  async note(address: string): Promise<void> {
    const { kind, left } = this.requests.charge(address, 1, MANY, this.clock.monotonic());
    if (kind === 'over' || left > 0) return;
    const proxy: UnnamedProxy = { address, at: this.clock.now() };
    await writeWhole(fileIn(this.controlFolder), `${JSON.stringify(proxy)}\n`, OWNER_ONLY);
  }

  /** Call this when the public page ends. */
  async forget(): Promise<void> {
    await rm(fileIn(this.controlFolder), { force: true });
  }
}

/** The one that was noted last; null: none lately. */
export async function unnamedProxy(controlFolder: string, now: number): Promise<UnnamedProxy | null> {
  const text = await readFile(fileIn(controlFolder), 'utf8').catch(() => '');
  const found = readJson(text) as UnnamedProxy | undefined;
  return found === undefined || now - found.at > TOLD_MS ? null : found;
}
