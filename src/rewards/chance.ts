import { percent } from '../core/percent.ts';
import { condition } from './condition.ts';

const EXPECTED = 'must be a chance above "0%" and up to "100%", in quotes and with its percent sign';

/** Holds if the number drawn for the vote, the reward and the occasion is below a share from 0 (excluded) to 1. */
export const chance = condition({
  schema: ({ z, errorSentence }) => {
    const wrong = errorSentence(EXPECTED);
    return z
      .string(wrong)
      .regex(/^\d{1,3}(\.\d{1,6})?%$/, wrong)
      .meta({ title: 'chance' })
      .transform((text) => Number.parseFloat(text) / 100)
      .refine((share) => share > 0 && share <= 1, wrong)
      .describe(
        'Paid with this probability, such as "5%". Without it: always. It is drawn once everything else holds; a lost chance spends its occasion.',
      );
  },
  example: '5%',
  isDrawn: true,
  holds: (share, { draw }) => {
    const rolled = draw();
    return { held: rolled < share, because: { chance: share, rolled } };
  },
  explain: {
    held: ({ rolled, chance }) =>
      rolled === undefined || chance === undefined ? null : rolledText(rolled, chance),
    notHeld: ({ rolled, chance }) => rolledText(rolled, chance),
  },
  phrase: (share) => `with a chance of ${percent(share)}`,
});

const rolledText = (rolled: number, share: number): string =>
  `rolled ${percent(rolled)}, needed less than ${percent(share)}`;
