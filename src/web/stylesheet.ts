import { baseStyle } from './style/base.ts';
import { chartStyle } from './style/charts.ts';
import { controlStyle } from './style/controls.ts';
import { dataStyle } from './style/data.ts';
import { frameStyle } from './style/frame.ts';

/** In the order of the cascade. */
export const stylesheet = [baseStyle, frameStyle, controlStyle, dataStyle, chartStyle].join('\n');
