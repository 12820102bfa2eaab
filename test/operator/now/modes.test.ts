import { expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import type { Pause } from '../../../src/core/pause.ts';
import { modesOf, modeText } from '../../../src/operator/now/modes.ts';
import { stateSentences } from '../../../src/operator/now/state.ts';
import { at } from '../../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const PAUSE: Pause = { server: null, reward: null, by: 'admin', at: NOON };

const modes = (kinds: readonly string[], pay: Partial<Config['pay']> = {}, pauses: readonly Pause[] = []) =>
  modesOf(
    {
      gameServers: new Map(kinds.map((kind, index) => [`server${index + 1}`, { kind }])),
      pay: { mode: 'real', from: null, ...pay },
    } as unknown as Config,
    pauses,
    { now: () => NOON },
  );

test('with real game servers and nothing paused, every vote is paid', () => {
  expect(modes(['rcon', 'http'])).toEqual([]);
});

test('practice servers beside real ones are named', () => {
  const [mode] = modes(['practice', 'rcon', 'practice']);
  expect(mode).toEqual({ kind: 'practice', servers: ['server1', 'server3'], isOnly: false });
  expect(modeText(mode!)).toContain('server1 and server3');
});

test('the hand-over is over at its time', () => {
  expect(modes(['rcon'], { from: NOON + 1 })).toEqual([{ kind: 'hand-over', from: NOON + 1 }]);
  expect(modes(['rcon'], { from: NOON })).toEqual([]);
});

test('in shadow the time of the hand-over means nothing', () => {
  expect(modes(['rcon'], { mode: 'shadow', from: NOON + 1 })).toEqual([{ kind: 'shadow' }]);
});

test('only what holds for all payments is in the sentence about the state', () => {
  const state = { port: 8192, sites: 1, lastVoteAt: null, away: ['main', 'lobby'], needYou: 2 };
  const said = (list: ReturnType<typeof modes>) => stateSentences({ ...state, modes: list }).modes;
  expect(said(modes(['rcon'], {}, [PAUSE, PAUSE]))).toEqual(['Payment is paused.']);
  expect(said(modes(['rcon', 'practice'], {}, [{ ...PAUSE, server: 'server1' }]))).toEqual([]);
  expect(stateSentences({ ...state, modes: [] })).toMatchObject({
    sites: '1 site.',
    away: 'main and lobby accept no commands.',
    needYou: '2 grants need you.',
  });
});
