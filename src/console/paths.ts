/** The paths of the console's pages, in one place for links and routes. */
export const paths = {
  now: '/',
  addSite: '/now/add-site',
  payHeld: '/now/pay-held',
  resume: '/now/resume',
  releaseClock: '/now/release-clock',
  votes: '/votes',
  vote: (id: number): string => `/votes/${id}`,
  players: '/players',
  player: (name: string): string => `/players/${encodeURIComponent(name)}`,
  grants: '/grants',
  figures: '/figures',
  figuresCsv: (chart: string): string => `/figures/${chart}.csv`,
  rewards: '/rewards',
  reload: '/reload',
  test: '/test',
  testVote: '/test/votes',
  sentVote: (number: number): string => `/test/votes/${number}`,
  testCommand: '/test/commands',
  ranCommand: (number: number): string => `/test/commands/${number}`,
  practice: '/test/practice',
  shadow: '/test/shadow',
  alarms: '/alarms',
  testAlarms: '/alarms/test',
  keys: '/keys',
  signIn: '/sign-in',
  signOut: '/sign-out',
  /** A one-time link. */
  open: (code: string): string => `/open/${code}`,
  live: '/live',
} as const;

export const signInThen = (path: string): string => `${paths.signIn}?next=${encodeURIComponent(path)}`;
