import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentPage, pageOf } from './docs.ts';

for (const name of Object.keys(pageOf)) {
  const { file, text } = await currentPage(name);
  writeFileSync(join(import.meta.dirname, '../..', file), text);
}
