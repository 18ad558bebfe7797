/** The port through which the data plane learns how many calls a project has a UTC day; null: any number. */
export type BudgetOf = (projectId: string) => number | null;
