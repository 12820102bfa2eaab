type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * The groups of files that import each other in a cycle; empty if there are none.
 *
 * @param imports by file, the files that it imports.
 */
export function importCycles(imports: Imports): readonly (readonly string[])[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]));
  const circular = [...reached].filter(([file, targets]) => targets.has(file));
  const groups = circular.map(([file, targets]) =>
    [...targets].filter((other) => reached.get(other)?.has(file)).toSorted(),
  );
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

/** Every file that this one loads by imports, including itself if it is in a cycle. */
function reachedFrom(file: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const fresh = (imports.get(next) ?? []).filter((target) => imports.has(target) && !reached.has(target));
    for (const target of fresh) reached.add(target);
    open.push(...fresh);
  }
  return reached;
}
