/** The paths of the public pages. */
export const publicPaths = {
  directory: '/',
  listing: (id: string): string => `/listings/${encodeURIComponent(id)}`,
  vote: (id: string): string => `/listings/${encodeURIComponent(id)}/vote`,
  docs: '/docs',
} as const;
