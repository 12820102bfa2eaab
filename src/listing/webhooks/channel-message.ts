import type { VotePayload } from '../../../protocol/webhook/payload.ts';

/** What the embed shows besides the payload. */
export interface ChannelFacts {
  readonly listingName: string;
  /** Votes on the listing so far. */
  readonly votes: number;
  /** The listing's public page; null if the service has no public address. */
  readonly link: string | null;
}

/** The embed that a chat channel gets instead of the payload (NS-49). It cannot ping users. */
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

/** Chat platforms show this as the user's name. As `allowed_mentions` is empty, they send no notification. */
const voterText = (userId: string): string => (/^\d+$/.test(userId) ? `<@${userId}>` : plain(userId));

const ZERO_WIDTH_SPACE = '\u200b';

/** Makes text show as it is: no markdown, links, mentions or line breaks. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\\*_~`|>#[\]()<:!-]/g, String.raw`\$&`)
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
