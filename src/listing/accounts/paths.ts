/** The paths of the dashboard, in one place for links and routes. */
export const paths = {
  signIn: '/sign-in',
  signOut: '/sign-out',
  account: '/account',
  endSessions: '/account/end-sessions',
  dashboard: '/dashboard',
  newListing: '/new-listing',
  listing: (id: string): string => `/dashboard/${encodeURIComponent(id)}`,
  invitation: (code: string): string => `/invitations/${encodeURIComponent(code)}`,
} as const;

export const signInThen = (path: string): string => `${paths.signIn}?next=${encodeURIComponent(path)}`;
