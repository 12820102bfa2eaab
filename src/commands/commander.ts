import { commonJs } from '../core/common-js.ts';

export const { Command, CommanderError } = commonJs(
  '@commander-js/extra-typings',
) as typeof import('@commander-js/extra-typings');
