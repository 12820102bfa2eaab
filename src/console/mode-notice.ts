import { type Mode, modeText } from '../operator/now/modes.ts';
import { type Html, html, withTimes } from '../web/kit.ts';

/** On every page: why votes are not all paid to real players now; null if they are. */
export const modeNotice = (modes: readonly Mode[]): Html | null =>
  modes.length === 0
    ? null
    : html`${modes.map((mode, index) => [index > 0 && html`<br>`, withTimes(modeText(mode))])}`;
