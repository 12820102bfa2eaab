/**
 * What tests may know of the product, so that it can be written again under them: outside the kit they import `protocol`, what the kit
 * exports, what the package exports (`src/library/vote-teller.ts`), and these pure values.
 */
export const PURE_VALUES: readonly string[] = [
  'src/config/load.ts',
  'src/core/clock.ts',
  'src/core/duration.ts',
  'src/core/fixed-windows.ts',
  'src/core/local-time.ts',
  'src/core/player-name.ts',
  'src/core/random.ts',
  'src/core/template.ts',
  'src/core/window.ts',
  'src/library/vote-teller.ts',
];

/** Folders and files whose tests still know the inside of what they test. An entry goes with the last of them, and none is added. */
export const STILL_INSIDE: readonly string[] = [
  'test/architecture.test.ts',
  'test/browser/newcomer.test.ts',
  'test/browser/reading.test.ts',
  'test/browser/sign-in.test.ts',
  'test/codes.test.ts',
  'test/config',
  'test/core',
  'test/delivery/http.test.ts',
  'test/delivery/kinds.test.ts',
  'test/delivery/public-host.test.ts',
  'test/delivery/scripted-queue.ts',
  'test/docs.test.ts',
  'test/end-to-end',
  'test/failed-reload.test.ts',
  'test/library',
  'test/listener/both-families.test.ts',
  'test/listener/decryption.test.ts',
  'test/listener/odd-senders.test.ts',
  'test/listener/proxy.test.ts',
  'test/plugins/files.test.ts',
  'test/plugins/votingplugin-players.test.ts',
  'test/reload.test.ts',
  'test/retention.test.ts',
  'test/runtime',
  'test/sender',
  'test/slow',
  'test/sqlite',
  'test/support',
  'test/together/tops-in-doubt.test.ts',
  'test/web/contrast.test.ts',
];
