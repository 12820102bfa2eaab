export interface Link {
  /** Relative to the page, as written; empty for a link within the page. */
  readonly file: string;
  readonly anchor: string | null;
}

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** Links to this repository's own files. */
export const linksIn = (text: string): Link[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = null] = target.split('#');
      return { file, anchor };
    });

/** The anchors of the headings, spelt as code hosts spell them. */
export const anchorsIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
