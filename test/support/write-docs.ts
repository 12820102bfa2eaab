import { writeFileSync } from 'node:fs';
import { currentReadme, README } from './docs.ts';

writeFileSync(README, await currentReadme());
