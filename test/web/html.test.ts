import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { listingBrand } from '../../src/web/brands.ts';
import { type Content, html, quoted, trusted } from '../../src/web/html.ts';
import { document } from '../../src/web/layout.ts';
import { pageScript } from '../../src/web/page-script.ts';
import { rules } from '../../src/web/stylesheet.ts';
import { everyComponent } from '../support/every-component.ts';

/** The tags with the names of their attributes, which no text may change. */
const skeleton = (markup: string): string[] =>
  (markup.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['an element', '<script>alert(1)</script>'],
  ['a closing tag', '</textarea></title></pre></script><img src=x onerror=alert(1)>'],
  ['double quotes', '" autofocus onfocus="alert(1)'],
  ['single quotes', "' onfocus='alert(1)"],
  ['entities', '&lt;script&gt;&quot;&#39;'],
  ['a comment', '<!-- --!> <![CDATA['],
  ['a changed writing direction', '\u202E\u2066evil\u200F'],
  ['template signs', `${'$'}{1} \\u003cscript\\u003e {{x}}`],
  ['control characters', 'a\u0000b\u001b[31m\r\n'],
];

describe('text in a template', () => {
  test.each<[Content, string]>([
    ['<b>', '&lt;b&gt;'],
    ['"\'', '&quot;&#39;'],
    ['&amp;', '&amp;amp;'],
    [0, '0'],
    [null, ''],
    [undefined, ''],
    [false, ''],
    [['<', ['>', html`<i>`]], '&lt;&gt;<i>'],
  ])('%j becomes %s', (value, markup) => {
    expect(html`${value}`.toString()).toBe(markup);
  });

  test('refuses an object that claims to be markup, even past the compiler', () => {
    const claim = { isEscaped: true, toString: () => '<script>' } as unknown as string;
    expect(() => html`${claim}`).toThrow(TypeError);
  });

  test('does not escape markup that came from the tag or is trusted', () => {
    expect(html`${html`<p>${'<'}</p>`}${trusted('<hr>')}`.toString()).toBe('<p>&lt;</p><hr>');
  });
});

describe('a value in a tag', () => {
  const text = 'x onfocus=alert(1)';

  test('is kept if it is a whole attribute from the tag', () => {
    const attribute = html` href="${text}"`;
    expect(html`<a class="b"${attribute}>`.toString()).toBe('<a class="b" href="x onfocus=alert(1)">');
  });

  test('stays within its double quotes, also after other attributes', () => {
    const tag = html`<a class="b" href="${text}" title="${text}">${text}</a>`;
    expect(skeleton(tag.toString())).toEqual(['<a class="" href="" title="">', '</a>']);
  });

  test.each([
    ['without quotes', () => html`<a href=${text}>`],
    ['without quotes, after a space', () => html`<a href= ${text}>`],
    ['between single quotes', () => html`<a href='${text}'>`],
    ['in the middle of a value without quotes', () => html`<a href=/of/${text}>`],
    ['in the middle of a value between single quotes', () => html`<a href='/of/${text}'>`],
    ['without quotes, after an attribute with them', () => html`<a class="${text}" href=${text}>`],
  ])('%s is refused', (_, make) => {
    expect(make).toThrow(/double quotes/);
  });

  test('is allowed in text that looks like a tag with an attribute', () => {
    expect(html`<p>a < b, c=${text}</p>`.toString()).toContain('c=x');
  });
});

describe('every component', () => {
  test.each(HOSTILE)('WF-06: escapes %s in every text that it receives', (_, hostile) => {
    const harmless = everyComponent('harmless');
    for (const [name, made] of Object.entries(everyComponent(hostile))) {
      const expected = skeleton(harmless[name as keyof typeof harmless].toString());
      expect(skeleton(made.toString()), name).toEqual(expected);
    }
  });

  test('shows its text unchanged', () => {
    const [, text] = HOSTILE[0] ?? ['', ''];
    for (const [name, made] of Object.entries(everyComponent(text))) {
      expect(made.toString(), name).toMatch(/&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    }
  });

  test('keeps a line break at the start of a text area', () => {
    expect(everyComponent('\nx').areaField.toString()).toContain('>\n\nx</textarea>');
  });
});

test('WF-06: a page escapes its title, site name, links and flash message', () => {
  const page = (text: string): string =>
    document(
      {
        site: text,
        brand: listingBrand,
        home: text,
        navigation: [{ label: text, href: text }],
        account: {
          kind: 'signed-in',
          link: { label: text, href: text, title: text },
          signOut: text,
          csrf: text,
        },
        path: text,
        flash: { tone: 'good', text },
        notice: null,
        now: 0,
      },
      { title: text, lead: text, trail: [{ label: text, href: text }], body: text },
    ).toString();
  for (const [name, text] of HOSTILE) expect(skeleton(page(text)), name).toEqual(skeleton(page('harmless')));
});

test('quoted text is isolated in its writing direction', () => {
  expect(quoted('\u202Eevil').toString()).toBe('<bdi>\u202Eevil</bdi>');
});

test('the stylesheet isolates the writing direction of elements that show text from users', () => {
  const isolated = /^(.*)\{ unicode-bidi: isolate; \}$/m
    .exec(rules)?.[1]
    ?.split(/,\s*/)
    .map((part) => part.trim());
  expect(isolated).toEqual(
    expect.arrayContaining(['a', 'button', 'td', 'dd', 'li', 'h1', 'h2', 'label', '.badge']),
  );
});

test('no component has inline style or script, which the policy forbids', () => {
  for (const [name, made] of Object.entries(everyComponent('x'))) {
    expect(skeleton(made.toString()).join(''), name).not.toMatch(/<script|<style| style=| on[a-z]+=/);
  }
});

test('the script is valid JavaScript of less than 6 KiB', () => {
  expect(() => new Script(pageScript)).not.toThrow();
  expect(pageScript.length).toBeLessThan(6 * 1024);
});
