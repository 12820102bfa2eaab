import { SERVICES, TWO_WAITING } from './config.ts';

const COMMANDS = ['give {player} emerald 1'];
const reward = (name: string, written: object, more: object = {}) => ({
  name,
  when: 'online',
  if: written,
  commands: COMMANDS,
  ...more,
});

/**
 * The two rewards that every rewarded vote earns, and eleven with every condition that there is. Few votes earn one of
 * these, because grants cost what they cost whatever they are granted for: at most one vote in ten earns a third one.
 */
export const ALL_CONDITIONS = [
  ...TWO_WAITING,
  reward('each-25', { votes: { every: 25 } }),
  reward('steps', { votes: { at: [50, '100..1000 step 100'], of: 'site' } }),
  reward('busy-month', { votes: { at: [200], of: 'month' } }),
  reward('everyone', { votes: { every: 1_000, of: 'network' } }),
  reward('welcome', { firstVote: true, between: ['2020-12-24', '2020-12-27'] }),
  reward('week', { streak: 7 }),
  reward('patient', { streak: { length: 30, repeat: true, forgive: { missed: 2, in: 7 } } }),
  reward('everywhere', { allSites: true }),
  reward('back', { returning: '365d' }),
  reward('either', {
    any: [{ weekday: ['sat'], firstVote: 'day' }, { votes: { at: [10], of: 'week' } }],
    not: { site: SERVICES[0] },
    hours: '03:00-03:05',
  }),
  reward('lucky', { chance: '2%' }, { limit: { per: 'player', count: 3, within: 'day' } }),
];
