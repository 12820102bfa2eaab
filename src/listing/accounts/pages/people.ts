import { Hono } from 'hono';
import {
  card,
  confirmedButton,
  empty,
  html,
  oneTimeSecret,
  postButton,
  quoted,
  table,
  tag,
} from '../../../web/kit.ts';
import { seeOther } from '../../../web/show.ts';
import type { Changes } from '../../changes/changes.ts';
import type { Account, Member } from '../account.ts';
import { type ListingEnv, ownerOnly } from '../guards.ts';
import { INVITATION_DAYS, type Invitations } from '../invitations.ts';
import type { MemberStore } from '../member-store.ts';
import { paths } from '../paths.ts';
import { addressOf, type Section, showListingPage } from './listing-page.ts';

export const peopleSection: Section = { label: 'People', path: 'people' };

const AT = '/dashboard/:listing/people';

interface PeopleParts {
  readonly members: MemberStore;
  readonly invitations: Invitations;
  readonly changes: Changes;
  readonly sections: readonly Section[];
}

/** The members of a listing. All members see them; the owner invites and removes managers. */
export function peoplePages({ members, invitations, changes, sections }: PeopleParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  const show = (c: Parameters<typeof showListingPage>[0], link: string | null) => {
    const { listing, role, visit } = c.var;
    const body = [
      link !== null && invitationLink(link),
      peopleCard({
        members: members.members(listing.id),
        address: addressOf(listing, peopleSection),
        isOwner: role === 'owner',
        csrf: visit.csrf,
      }),
    ];
    const json = link === null ? { members: members.members(listing.id) } : { link };
    return showListingPage(c, sections, peopleSection, { body, json, isShownOnce: link !== null });
  };
  pages.get(AT, (c) => show(c, null));
  pages.post(`${AT}/invite`, ownerOnly, async (c) => {
    const code = await invitations.invite(c.var.listing.id);
    return show(c, new URL(paths.invitation(code), originOf(c.var.site.https, c.req.header('host'))).href);
  });
  pages.post(`${AT}/remove`, ownerOnly, async (c) => {
    const { listing, entered } = c.var;
    const [accountId = ''] = entered.account ?? [];
    const isRemoved = await changes.removeManager(listing.id, accountId);
    return seeOther(c, addressOf(listing, peopleSection), isRemoved ? REMOVED : NOT_THERE);
  });
  return pages;
}

const REMOVED = { tone: 'good', text: 'Manager removed.' } as const;
const NOT_THERE = {
  tone: 'warn',
  code: 'no-manager',
  text: 'That person is not a manager of this listing. Nothing changed.',
} as const;

const originOf = (isHttps: boolean, host = ''): string => `${isHttps ? 'https' : 'http'}://${host}`;

const invitationLink = (link: string) =>
  oneTimeSecret({
    id: 'invitation',
    title: 'Invitation created',
    value: link,
    advice: `Send this link to one person. It works once and expires after ${INVITATION_DAYS} days. It won’t be shown again.`,
  });

interface PeopleCard {
  readonly members: readonly Member[];
  readonly address: string;
  readonly isOwner: boolean;
  readonly csrf: string;
}

const peopleCard = ({ members, address, isOwner, csrf }: PeopleCard) =>
  card({
    title: 'People',
    note: 'Managers can do everything except invite or remove people and remove the listing.',
    actions:
      isOwner &&
      postButton({
        action: `${address}/invite`,
        csrf,
        label: 'Invite manager',
        kind: 'primary',
        small: true,
      }),
    body: table<Member>({
      caption: 'Owner and managers of this listing',
      columns: [
        { label: 'Name', cell: ({ account }) => account.name, onPhone: 'title' },
        {
          label: 'Role',
          cell: ({ role }) => tag(role === 'owner' ? 'Owner' : 'Manager'),
          onPhone: 'corner',
        },
        {
          label: 'Remove',
          kind: 'end',
          onPhone: 'block',
          cell: ({ account, role }) =>
            isOwner && role === 'manager' ? removeButton(account, address, csrf) : null,
        },
      ],
      rows: members,
      empty: empty({ title: 'No managers', advice: 'The owner can invite managers.' }),
    }),
  });

const removeButton = (account: Account, address: string, csrf: string) =>
  confirmedButton({
    label: 'Remove…',
    question: html`${quoted(account.name)} will lose access to this listing. The listing’s tokens keep working.`,
    confirm: 'Remove manager',
    action: `${address}/remove`,
    csrf,
    with: { account: account.id },
    small: true,
  });
