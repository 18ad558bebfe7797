import { startClusterRig } from './cluster-rig.ts';
import type { Rig, Topology } from './rig.ts';
import { startSentinelRig } from './sentinel-rig.ts';
import { startSingleRig } from './single-rig.ts';

export function startRig(topology: Topology): Promise<Rig> {
  if (topology === 'single') return startSingleRig();
  return topology === 'sentinel' ? startSentinelRig() : startClusterRig();
}
