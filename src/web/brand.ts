import { type Asset, asset } from './assets.ts';
import { type Html, trusted } from './html.ts';
import { pageScript } from './page-script.ts';
import { stylesheetOf } from './stylesheet.ts';
import type { Accents } from './tokens.ts';

/** What tells one site from another that is built from the same parts. */
export interface Look extends Accents {
  /** The lines of the mark, in a square of 24 by 24, as SVG. */
  readonly drawing: string;
  /** The colour of the mark in a browser's tab, light or dark. */
  readonly icon: `#${string}`;
}

/** The mark and the colours of a site, and the files that its pages link to. */
export class Brand {
  /** In the colour of the text around it. */
  readonly mark: Html;
  readonly style: Asset;
  readonly script: Asset;
  readonly icon: Asset;

  constructor(look: Look) {
    this.mark = trusted(drawn(look, 'currentColor', ' aria-hidden="true"'));
    this.style = asset('page', 'css', 'text/css; charset=utf-8', stylesheetOf(look));
    this.script = asset('page', 'js', 'text/javascript; charset=utf-8', pageScript);
    this.icon = asset(
      'mark',
      'svg',
      'image/svg+xml',
      drawn(look, look.icon, ' xmlns="http://www.w3.org/2000/svg"'),
    );
  }

  get assets(): readonly Asset[] {
    return [this.style, this.script, this.icon];
  }
}

const drawn = ({ drawing }: Look, colour: string, attributes: string): string =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="${colour}" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"${attributes}>${drawing}</svg>`;
