import Loans
