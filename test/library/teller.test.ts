import { writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RecordedVote, TellerOptions } from '../../src/library/api.ts';
import { createTeller, sendVote } from '../../src/library/vote-teller.ts';
import { configFolder } from '../support/config-folder.ts';

const TOKEN = 'token-of-the-listing';
const CONFIG = {
  listener: { host: '127.0.0.1', port: 0 },
  sites: { default: { token: TOKEN } },
  rewards: [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }],
};
const STEVE = { service: 'A.example', player: 'Steve' };

async function running(options: Partial<TellerOptions> = {}) {
  const votes: RecordedVote[] = [];
  const lines: string[] = [];
  const { config } = configFolder(CONFIG);
  const teller = await createTeller({
    config,
    onVote: (vote) => void votes.push(vote),
    log: (line) => void lines.push(line),
    ...options,
  });
  onTestFinished(() => teller.close());
  const to = { host: '127.0.0.1', port: teller.listener.port, token: TOKEN };
  return { teller, config, votes, lines, to };
}

const codes = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { code?: string }).code);

describe('Teller in another program', () => {
  test('records a vote, tells of it, and knows it when it is sent again', async () => {
    const { votes, to, teller } = await running();
    const vote = { ...STEVE, castAt: Date.now() };
    expect(await sendVote(vote, to)).toMatchObject({ arrived: 'yes' });
    expect(await sendVote(vote, to)).toMatchObject({ arrived: 'yes' });
    const told = { service: 'A.example', recipient: 'Steve', castAt: vote.castAt, channel: 'listener-v2' };
    expect(votes).toEqual([
      { ...told, decision: 'rewarded' },
      { ...told, decision: 'known' },
    ]);
    expect({ webhook: teller.webhook, console: teller.consoleUrl }).toEqual({ webhook: null, console: null });
  });

  test('answers ok also where onVote throws, and logs that', async () => {
    const { to, lines } = await running({
      onVote: () => {
        throw new Error('full');
      },
    });
    expect(await sendVote(STEVE, to)).toMatchObject({ arrived: 'yes' });
    expect(codes(lines)).toContain('bug');
  });

  test('applies the changed file, and keeps the previous config if that is not valid', async () => {
    const { teller, config, lines } = await running();
    writeFileSync(config, '{');
    await expect(teller.reload()).rejects.toMatchObject({ code: 'config-invalid' });
    expect(codes(lines)).not.toContain('bug');
  });

  test('says what is wrong with a config that is not there', async () => {
    await expect(createTeller({ config: 'none.json' })).rejects.toMatchObject({ code: 'config-missing' });
  });
});
