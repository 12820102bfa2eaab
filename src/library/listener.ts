import { createPublicKey } from 'node:crypto';
import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import { publicKeyText } from '../../protocol/votifier/v1.ts';
import { claimedTime } from '../../protocol/votifier/wire.ts';
import { ensureKeyPair, readKeyPair } from '../config/keys.ts';
import type { Log } from '../core/log.ts';
import { parseVotedName } from '../core/player-name.ts';
import { Problem } from '../core/problem.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { castTime } from '../core/vote.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { Listener, type ReceivedVote, type VoteIntake } from '../votes/listener.ts';
import type { CreateListener, ListenerOptions, Vote } from './api.ts';

export const openListener: CreateListener = async (options) => {
  const { host = '::', port = 8192, keys, onRefused = () => {} } = options;
  const { deadlineMs = 5_000, maxConnections = 1_024, maxConnectionsPerAddress = 32 } = options;
  const tokens = tokensBy(options.tokens);
  if (tokens.size === 0 && keys === undefined)
    throw new Problem('config-value', 'Votes need `tokens` (v2) or `keys` (v1): give one of them, or both.');
  const privateKey = keys === undefined ? null : await privateKeyIn(keys);
  const listener = new Listener({
    intake: new CallingIntake(options, tokens),
    refusals: { count: (code, service, sender) => onRefused({ code, service, sender }) },
    protocols: privateKey === null ? ['v2'] : ['v1', 'v2'],
    proxyProtocol: 'off',
    isTrustedProxy: null,
    clock: systemClock,
    random: systemRandom,
    log: SILENT,
    ...{ privateKey, host, port, deadlineMs, maxConnections, maxConnectionsPerAddress },
  });
  const listening = await listener.listen();
  return {
    host: listening.host,
    port: listening.port,
    publicKey: privateKey === null ? null : publicKeyText(createPublicKey(privateKey)),
    close: () => listener.close(),
  };
};

const tokensBy = (tokens: ListenerOptions['tokens'] = {}): ReadonlyMap<string, string> =>
  typeof tokens === 'string'
    ? new Map([[DEFAULT_SITE, tokens]])
    : new Map(Object.entries(tokens).map(([name, token]) => [serviceNameOf(name), token]));

async function privateKeyIn(folder: string) {
  await ensureKeyPair(folder);
  return (await readKeyPair(folder)).privateKey;
}

/** Gives each vote to `onVote`. */
class CallingIntake implements VoteIntake {
  private readonly bedrockPrefixes: readonly string[];

  constructor(
    private readonly options: ListenerOptions,
    private readonly tokens: ReadonlyMap<string, string>,
  ) {
    this.bedrockPrefixes = options.bedrockPrefixes ?? ['.', '*'];
  }

  tokenOf(serviceName: string): string | null {
    return this.tokens.get(serviceNameOf(serviceName)) ?? this.tokens.get(DEFAULT_SITE) ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const vote = checked(received, this.bedrockPrefixes);
    if (typeof vote === 'string') return vote;
    try {
      await this.options.onVote(vote);
      return null;
    } catch {
      return 'ledger-unable';
    }
  }
}

function checked(received: ReceivedVote, bedrockPrefixes: readonly string[]): Vote | RefusalCode {
  const { wire, channel, address, receivedAt } = received;
  const service = serviceNameOf(wire.serviceName);
  if (service.length > SERVICE_NAME_MAX) return 'service-not-allowed';
  const name = parseVotedName(wire.username, bedrockPrefixes);
  if (name.kind !== 'name') return `name-${name.kind}`;
  return {
    service,
    player: name.name,
    castAt: castTime(claimedTime(wire.timestamp), receivedAt),
    receivedAt,
    voterAddress: wire.address,
    sender: address,
    version: channel === 'listener-v1' ? 'v1' : 'v2',
  };
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
