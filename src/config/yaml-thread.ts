import { parentPort, workerData } from 'node:worker_threads';
import { readYaml } from './yaml-source.ts';

parentPort?.postMessage(readYaml(String(workerData)));
