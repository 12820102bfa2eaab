import { baseStyle, tokenStyle } from './style/base.ts';
import { chartStyle } from './style/charts.ts';
import { controlStyle } from './style/controls.ts';
import { dataStyle } from './style/data.ts';
import { frameStyle } from './style/frame.ts';
import { stateStyle } from './style/states.ts';
import type { Accents } from './tokens.ts';

/** In the order of the cascade. */
export const rules = [baseStyle, frameStyle, controlStyle, dataStyle, stateStyle, chartStyle].join('\n');

export const stylesheetOf = (accents: Accents): string => tokenStyle(accents) + rules;
