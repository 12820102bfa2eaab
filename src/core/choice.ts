import { percent } from './percent.ts';

/** Which commands of a reward a grant runs, if not only those of its `commands`. Stored, so never rename a word. */
export type Choice =
  /** The chance was lost. */
  | { readonly from: 'otherwise' }
  /** For a total or a streak, such as `2..3`. */
  | { readonly from: 'prizes'; readonly name: string }
  /** `share`: how likely it was, from 0 to 1. */
  | { readonly from: 'oneOf'; readonly name: string; readonly share: number };

/** `drew rare, 30%` */
export function choiceText(choice: Choice): string {
  switch (choice.from) {
    case 'otherwise':
      return 'lost, paid otherwise';
    case 'prizes':
      return `prize ${choice.name}`;
    case 'oneOf':
      return `drew ${choice.name}, ${percent(choice.share)}`;
  }
}
