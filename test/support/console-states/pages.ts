import type { GrantState } from '../../../src/core/settlement.ts';
import type { ConsoleState } from './state.ts';

/** A page and what it is called, in the order of the navigation. */
export type NamedPage = readonly [name: string, path: string];

/** These are seen without having signed in. */
export const openPages: readonly NamedPage[] = [['sign-in', '/sign-in']];

/** Every page of the console, of what there is in this state. */
export async function pagesOf(state: ConsoleState): Promise<readonly NamedPage[]> {
  const { look } = state;
  const [vote] = await look.votes({ limit: 1 });
  const [refused] = await look.grants({ state: 'refused', limit: 1 });
  const [held] = await look.grants({ state: 'held', limit: 1 });
  const stuck = refused ?? held;
  return [
    ...([
      ['now', '/'],
      ['game-server', '/now/game-server'],
      ['site', '/now/site'],
      ['site-lines', '/now/site?service=Minecraft-MP.com'],
      ['votes', '/votes'],
    ] as const),
    ...(vote === undefined ? [] : [['vote', `/votes/${vote.id}`] as const]),
    ['players', '/players'],
    ['players-found', '/players?name=an'],
    ['player', `/players/${vote?.player ?? 'Nobody'}`],
    ['needs-you', '/grants'],
    ...(await grantPages(state, ['held', 'refused', 'waiting', 'delivered'])),
    ...(stuck === undefined ? [] : [['grant-change', await changePath(state, stuck.id)] as const]),
    ...([
      ['figures', '/figures'],
      ['rewards', '/rewards'],
      ['test', '/test'],
    ] as const),
    ...([
      ['keys', '/keys'],
      ['not-found', '/nowhere'],
    ] as const),
  ];
}

/** The result of a test vote, which it sends. So this page comes after all others. */
export async function testPagesOf({ app, browser }: ConsoleState): Promise<readonly NamedPage[]> {
  const [, service = 'Test'] = app.config.sites.keys();
  await browser.get('/test');
  const sent = await browser.post('/test/votes', { player: 'Herobrine', service, version: 'v2' });
  return [['test-vote', sent.to ?? '']];
}

/** One grant in each of these states, as far as there is one. */
async function grantPages({ look }: ConsoleState, states: readonly GrantState[]): Promise<NamedPage[]> {
  const pages: NamedPage[] = [];
  for (const state of states) {
    const [grant] = await look.grants({ state, limit: 1 });
    if (grant !== undefined) pages.push([`grant-${state}`, `/grants/${grant.id}`]);
  }
  return pages;
}

/** What would be cancelled is shown first. */
async function changePath({ browser }: ConsoleState, id: number): Promise<string> {
  const { text } = await browser.get('/grants');
  const [, mark = id] = new RegExp(`name="grant" value="(${id}\\.\\d+)"`).exec(text) ?? [];
  return `/grants/change?action=cancel&grant=${mark}`;
}
