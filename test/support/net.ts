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
  'test/codes.test.ts',
  'test/docs.test.ts',
  'test/slow/plugin-players.test.ts',
  'test/support',
];
