/** Memory for file contents in transit, shared by all transfers of the process. */
export interface Budget {
  join(): BudgetShare;
}

export interface BudgetShare {
  /** How much one transfer may hold at the moment. */
  bytes(): number;
  leave(): void;
}

export function createBudget(total_bytes: number): Budget {
  let shares = 0;
  return {
    join() {
      shares += 1;
      let joined = true;
      return {
        bytes: () => total_bytes / shares,
        leave() {
          if (joined) shares -= 1;
          joined = false;
        },
      };
    },
  };
}
