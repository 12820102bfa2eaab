import type { YAMLError } from 'yaml';

/** The sentence for a syntax error in YAML: what to do, for the mistakes that are made most, or what the parser says. */
export const yamlSentence = ({ code, message }: YAMLError): string => SENTENCES[code] ?? plain(message);

const QUOTE =
  'put text that contains ": " or " #", or that begins with one of { } [ ] , & * # ? | - < > = ! % @ `, in quotes';

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'YAML is indented with spaces; replace this tab',
  BAD_INDENT: 'the indentation differs from the lines that belong together with this one',
  BAD_SCALAR_START: `this character has a meaning of its own in YAML; ${QUOTE}`,
  BLOCK_AS_IMPLICIT_KEY: `a key and its value belong on one line, and a line has one key; ${QUOTE}`,
  MULTILINE_IMPLICIT_KEY: `expected a colon and a value after a key; ${QUOTE}`,
  MISSING_CHAR: `a quote, a bracket or a comma is missing here, or a space after a colon; ${QUOTE}`,
  UNEXPECTED_TOKEN: `this does not belong here; ${QUOTE}`,
  BLOCK_IN_FLOW: `inside brackets, a key and its value belong together on one line; ${QUOTE}`,
  MULTIPLE_DOCS: 'the file has a second document; remove the line ---',
  BAD_ALIAS: 'anchors (&) and aliases (*) are not supported; write the value out, or in quotes if it is text',
};

const plain = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);
