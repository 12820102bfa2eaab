import type { VotePayload } from '../../../protocol/webhook/payload.ts';

/** What the embed says beside the payload. */
export interface ChannelFacts {
  readonly listingName: string;
  /** Votes on the listing so far. */
  readonly votes: number;
  /** Its public page; null where the service has no public address. */
  readonly link: string | null;
}

/** The ready-made embed that a chat channel gets in place of the payload (NS-49). It can ping nobody. */
export function channelMessage({ test, data }: VotePayload, facts: ChannelFacts): Buffer {
  const fields = [
    { name: 'Voter', value: voterText(data.userId), inline: true },
    ...(data.playerName ? [{ name: 'Player', value: plain(data.playerName), inline: true }] : []),
    { name: 'Votes', value: String(facts.votes), inline: true },
  ];
  const embed = {
    title: `${test ? 'Test: new' : 'New'} vote for ${plain(facts.listingName)}`.slice(0, TITLE_MAX),
    ...(facts.link === null ? {} : { url: facts.link }),
    fields,
    timestamp: data.votedAt,
  };
  return Buffer.from(JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }));
}

const TITLE_MAX = 256;

/** Chat platforms show this as the user's name; with `allowed_mentions` empty it notifies nobody. */
const voterText = (userId: string): string => (/^\d+$/.test(userId) ? `<@${userId}>` : plain(userId));

const ZERO_WIDTH_SPACE = '\u200b';

/** Text that is shown as it is: no markdown, no link, no mention, no line break. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\\*_~`|>#[\]()<:!-]/g, String.raw`\$&`)
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
