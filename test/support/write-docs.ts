import { writeFileSync } from 'node:fs';
import { currentReadme, README } from './docs.ts';
import { currentLayersPage, LAYERS_PAGE } from './layers-page.ts';

writeFileSync(README, await currentReadme());
writeFileSync(LAYERS_PAGE, currentLayersPage());
