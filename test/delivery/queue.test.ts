import { expect, test } from 'vitest';
import { type RconGame, rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { httpGame } from '../kit/http-game.ts';
import { page } from '../kit/page.ts';
import { paying } from '../kit/stuck.ts';
import { votifierGame } from '../kit/votifier.ts';
import { naming } from '../support/naming.ts';

const HOUR = 60 * 60_000;
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const GIVE = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const TWO = { ...SAY, commands: ['say one', 'say two'] };

/** The game server holds the reply to a command until this is called. */
function holding(game: RconGame, held: string): (reply: string) => void {
  let answer = (_: string): void => expect.fail('it was not asked');
  game.reply((command) => (command === held ? new Promise((resolve) => (answer = resolve)) : undefined));
  return (reply) => answer(reply);
}

test('a player who is offline is paid when they have been online for the join delay, in the spelling of the game server’s list', async () => {
  const { game, teller } = await paying([GIVE], { joinDelay: '20s' });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  game.show('STEVE');
  await teller.pass(19_000);
  expect(game.ran).toEqual([]);
  await teller.pass(3_000);
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['give STEVE diamond 1']);
});

test('a grant waits for a player who is in the list but whom the command does not find', async () => {
  const commands = ['give {player} diamond 1', 'say done'];
  const { game, teller } = await paying([{ ...GIVE, commands }], { offlineReplies: ['^Gave 1'] });
  game.show('Steve');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  await teller.until(async () => (await teller.grants())[0]?.commands[0]?.outcome === 'player-offline');
  expect((await teller.grants())[0]?.commands[1]).toMatchObject({ outcome: null });
});

test('the commands of a grant run in order, and a refused one stops the rest of it, but not the next grant', async () => {
  const mixed = { name: 'mixed', when: 'always', commands: ['say one', 'nonsense two', 'say three'] };
  const { game, teller } = await paying([mixed, { ...SAY, name: 'next' }]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused', 'delivered');
  expect((await teller.grants())[0]?.commands).toMatchObject([
    { command: 'say one', outcome: 'delivered', attempts: 1 },
    { command: 'nonsense two', outcome: 'refused', attempts: 1 },
    { command: 'say three', outcome: null, attempts: 0 },
  ]);
  // What a game server does not know yet may be a plugin's that still starts, so it is tried once more.
  expect(game.ran).toEqual(['say one', 'nonsense two', 'nonsense two', 'say Steve voted']);
});

test('a command that ran without an answer is unknown: its grant is held, and only what is safe to run twice runs again', async () => {
  const safe = { ...SAY, name: 'safe', safeToRunTwice: true, commands: ['say thanks, {player}'] };
  const { game, teller } = await paying([SAY, safe]);
  game.fault('run-and-close', 2);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held', 'delivered');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('held', 'delivered', 'delivered', 'delivered');
  const both = (player: string) => [`say ${player} voted`, `say thanks, ${player}`];
  expect(game.ran).toEqual([...both('Steve'), 'say thanks, Steve', ...both('Alex')]);
  // The pause after the broken connection is not logged as an unreachable game server.
  expect(teller.log.filter(({ code }) => code.startsWith('server-'))).toEqual([]);
});

test('a command that certainly never ran is retried until the game server accepts it', async () => {
  const { game, teller } = await paying([SAY]);
  game.fault('close-after-login', 2);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted']);
  expect((await teller.grants())[0]?.commands).toMatchObject([{ attempts: 1 }]);
});

test('each command is claimed in the ledger before it is sent', async () => {
  const { game, teller } = await paying([TWO], { commandTimeout: '10m' });
  const seen: unknown[] = [];
  game.reply(async (command) => {
    const [grant] = await teller.grants();
    seen.push([command, grant?.state, grant?.commands.map(({ outcome, attempts }) => [outcome, attempts])]);
    return 'ok';
  });
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length === 2);
  const commands = seen.filter((each) => String(each).startsWith('say'));
  expect(commands).toEqual([
    ['say one', 'pending', [[null, 1], [null, 0]]], // biome-ignore format: as a table
    ['say two', 'pending', [['delivered', 1], [null, 1]]], // biome-ignore format: as a table
  ]);
});

test('grants are paid in the order of their votes, and those of one vote in the order of the config', async () => {
  const { game, teller } = await paying([
    { ...SAY, commands: ['say {player} one'] },
    { ...SAY, name: 'b', commands: ['say {player} two'] },
  ]);
  await teller.run('pause');
  for (const player of ['P1', 'P2', 'P3']) await teller.vote({ player });
  await teller.run('resume');
  await teller.until(() => game.ran.length === 6);
  expect(game.ran).toEqual(
    ['P1', 'P2', 'P3'].flatMap((player) => [`say ${player} one`, `say ${player} two`]),
  );
});

test('a vote is answered while many grants are being paid', async () => {
  const rewards = Array.from({ length: 60 }, (_, n) => ({ ...SAY, name: `r${n}`, commands: [`say ${n}`] }));
  const { game, teller } = await paying(rewards);
  game.reply((command) => (command.startsWith('say') ? 'ok' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.ran.length > 5);
  expect(await teller.vote({ player: 'Alex' })).toBe('ok');
  expect(game.ran.length).toBeLessThan(60);
  await teller.until(() => game.ran.length === 120);
  expect(game.ran.slice(0, 60)).toEqual(rewards.map(({ commands }) => commands[0]));
});

test('a command that was not written when the connection broke runs once, over the next one', async () => {
  const { game, teller } = await paying([{ ...SAY, commands: ['say zero', ...TWO.commands] }]);
  game.reply((command) => (command === 'say one' ? 'reply-and-close' : undefined));
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say zero', 'say one', 'say two']);
});

test('a stop waits for the command in flight, starts no other, and the next start goes on', async () => {
  const { game, teller } = await paying([TWO]);
  const connections: number[] = [];
  game.script(({ text }, _, connection) => {
    if (text.startsWith('say')) connections.push(connection);
    return false;
  });
  const answer = holding(game, 'say one');
  await teller.vote({ player: 'Steve' });
  await teller.until(() => connections.length === 1);
  teller.clock.after(1_000, () => answer('ok'));
  await teller.restart();
  await teller.untilGrants('delivered');
  expect([game.ran, new Set(connections).size]).toEqual([['say one', 'say two'], 2]);
  expect((await teller.grants())[0]?.commands).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

test('a stop does not wait for a login that is never answered', async () => {
  const { game, teller } = await paying([SAY], { commandTimeout: '10m' });
  game.script(() => true);
  await teller.vote({ player: 'Steve' });
  await teller.until(() => game.connections() === 1);
  const before = teller.clock.monotonic();
  await teller.restart();
  expect(teller.clock.monotonic() - before).toBeLessThan(60_000);
  expect(await teller.grants()).toMatchObject([{ state: 'pending', commands: [{ attempts: 0 }] }]);
});

test('a game server that is removed leaves all its grants held, which is logged once', async () => {
  const rewards = Array.from({ length: 101 }, (_, n) => ({ ...GIVE, name: `r${n}`, servers: ['main'] }));
  const [main, other] = [await rconGame(), await rconGame()];
  const teller = await here({ gameServers: { main: main.entry, other: other.entry }, rewards });
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'waiting'));
  await teller.reload({ gameServers: { other: other.entry }, rewards: [{ ...SAY, servers: ['other'] }] });
  await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'held'));
  expect(await teller.grants()).toHaveLength(101);
  expect(teller.log.filter(({ code }) => code === 'held')).toMatchObject([{ fields: { grants: 101 } }]);
});

test('a game server that is removed while it runs a command leaves the grant held, with that outcome', async () => {
  const [main, other] = [await rconGame(), await rconGame()];
  const rewards = [{ ...TWO, servers: ['main'] }];
  const teller = await here({ gameServers: { main: main.entry, other: other.entry }, rewards });
  const answer = holding(main, 'say one');
  let isAsked = false;
  main.script(({ text }) => {
    isAsked ||= text === 'say one';
    return false;
  });
  await teller.vote({ player: 'Steve' });
  await teller.until(() => isAsked);
  teller.clock.after(1_000, () => answer('ok'));
  const next = { gameServers: { other: other.entry }, rewards: [{ ...SAY, servers: ['other'] }] };
  expect(await teller.during(teller.reload(next))).toMatchObject({ exit: 0 });
  await teller.untilGrants('held');
  expect(main.ran).toEqual(['say one']);
  expect((await teller.grants())[0]?.commands).toMatchObject([
    { outcome: 'delivered' },
    { outcome: null, attempts: 0 },
  ]);
});

test('what was earned for another kind of game server is held, also when the first kind is back', async () => {
  const { game, teller } = await paying([GIVE]);
  const http = await httpGame({ answers: true });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  await teller.reload({ gameServers: { main: http.entry }, rewards: [GIVE] });
  await teller.untilGrants('held');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('held', 'waiting');
  await teller.reload({ gameServers: { main: game.entry }, rewards: [GIVE] });
  game.show('Steve', 'Alex');
  await teller.untilGrants('held', 'held');
  expect(game.ran).toEqual([]);
});

test('of two processes on one ledger the second only records votes, until the first one stops', async () => {
  const game = await rconGame();
  const config = {
    gameServers: { main: game.entry },
    rewards: [SAY, { ...SAY, name: 'late', delay: '1h' }, { ...GIVE, expiresAfter: '1h' }],
  };
  const first = await here(config);
  const second = await here(config, undefined, first);
  const codes = () => second.log.map(({ code }) => code).filter((code) => /delivering$/.test(code));
  await second.vote({ player: 'Steve' });
  await second.pass(9 * HOUR, 5 * 60_000);
  expect(game.ran).toEqual([]);
  expect((await second.grants()).map(({ state }) => state)).toEqual(['pending', 'waiting', 'pending']);
  expect(codes()).toEqual(['not-delivering']);
  await first.stop();
  await second.untilGrants('delivered', 'delivered', 'cancelled');
  expect(codes()).toEqual(['not-delivering', 'delivering']);
});

test('a process that only records votes closes the connections that its pages opened, at a reload and when it stops', async () => {
  const [game, other] = [await rconGame(), await rconGame()];
  const first = await here({ rewards: [] });
  const second = await here({ gameServers: { main: game.entry }, rewards: [] }, undefined, first);
  await page(second, '/');
  await second.until(() => game.open() === 1);
  await second.reload({ gameServers: { main: other.entry }, rewards: [] });
  await second.until(() => game.open() === 0);
  await page(second, '/');
  await second.until(() => other.open() === 1);
  await second.stop();
  await first.until(() => other.open() === 0);
});

const FORGED = 'ok\u001b[2J\r\n12:00:00  Herobrine voted on \u009b31m\u202eList\u2028';

test('the log says what ran for whom and what the game server replied, which can forge no line', async () => {
  const four = { ...SAY, commands: ['say a', 'say b', 'pay {player} 5', 'eco d'] };
  const { game, teller } = await paying([four], { refusedReplies: ['^broke'] });
  const replies: Readonly<Record<string, string>> = {
    'say b': FORGED,
    'pay Steve 5': 'Sorry, no account for Steve',
    'eco d': `broke ${FORGED}${'x'.repeat(5_000)}`,
  };
  game.reply((command) => replies[command]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  const lines = teller.log.filter(({ code }) => /^(?:delivered|refused|reply-doubtful)$/.test(code));
  const delivered = Array(3).fill('delivered');
  expect(lines.map(({ code }) => code)).toEqual([...delivered, 'reply-doubtful', 'refused']);
  const [plain, forged, , doubtful, refused] = lines.map(({ sentence }) => sentence);
  expect(plain).toEqual(naming('Steve', 'say a'));
  expect(forged).toEqual(naming('Steve', 'say b', 'ok?[2J / 12:00:00  Herobrine voted on ?31m?List?'));
  expect(doubtful).toEqual(naming('"Sorry, no account for \\\\S+"', 'gameServers.main.refusedReplies'));
  expect(refused).toEqual(naming('eco d', 'Herobrine voted on ?31m?List?'));
  expect(refused?.length).toBeLessThan(400);
  for (const { sentence } of lines) expect(sentence).toMatch(/^[^\p{C}\u2028\u2029]*$/u);
});

test('the log has the whole text of a command that may have run', async () => {
  const long = `say ${'x'.repeat(1_400)}`;
  const { game, teller } = await paying([{ ...SAY, commands: [long] }]);
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  expect(teller.log.find(({ code }) => code === 'unknown')?.sentence).toContain(long);
});

test('the log says which vote was forwarded, without the address that it came from', async () => {
  const old = await votifierGame();
  const teller = await here({ gameServers: { old: old.entry }, rewards: [] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  await old.be('is silent after the vote');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered', 'held');
  const said = (code: string) => teller.log.find((line) => line.code === code)?.sentence;
  expect(said('delivered')).toEqual(naming('forwarded to old', 'vote of Steve on List', /→ ok$/));
  expect(said('unknown')).toEqual(naming('held', 'grants mark-paid 2', 'grants pay 2'));
  expect(JSON.stringify(teller.log.filter(({ code }) => /^(?:delivered|unknown)$/.test(code)))).not.toContain(
    '192.0.2.1',
  );
});
